package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// A reader must not have to know which of && and || binds first.
func TestConditionsAreGrouped(t *testing.T) {
	for _, f := range goFiles(t) {
		ast.Inspect(f.tree, func(node ast.Node) bool {
			either, ok := node.(*ast.BinaryExpr)
			if !ok || either.Op != token.LOR {
				return true
			}

			for _, side := range []ast.Expr{either.X, either.Y} {
				if both, ok := side.(*ast.BinaryExpr); ok && both.Op == token.LAND {
					t.Errorf("%s:%d: enclose this && in parentheses, or name it", f.name, f.line(both.Pos()))
				}
			}

			return true
		})
	}
}

type goFile struct {
	name string
	tree *ast.File
	set  *token.FileSet
}

func (f goFile) line(p token.Pos) int { return f.set.Position(p).Line }

// goFiles parses the files that we write.
func goFiles(t *testing.T) (files []goFile) {
	t.Helper()
	for _, name := range tracked(t, `\.go$`) {
		if strings.HasSuffix(name, ".gen.go") {
			continue
		}

		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, name, read(t, name), parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, goFile{name, tree, set})
	}
	return files
}
