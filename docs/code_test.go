package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strings"
	"testing"
)

// stepLines is the minimum number of lines of a block that is a step of its function.
const stepLines = 4

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

// Blank lines stand between the steps of a function. Tests may be denser.
func TestStepsAreSetApart(t *testing.T) {
	for _, f := range goFiles(t) {
		if strings.HasSuffix(f.name, "_test.go") {
			continue
		}

		ast.Inspect(f.tree, func(node ast.Node) bool {
			list := statements(node)
			for i := 0; i+1 < len(list); i++ {
				first, last := f.line(list[i].Pos()), f.line(list[i].End())
				if isBlock(list[i]) && last-first+1 >= stepLines && strings.TrimSpace(f.lines[last]) != "" {
					t.Errorf("%s:%d: add a blank line after this block of %d lines", f.name, last, last-first+1)
				}
			}

			return true
		})
	}
}

// errors.Join joins errors. Statements that must not run after the first has failed stand one after
// the other, so at most one argument is a call that does something.
func TestErrorsJoinRunsNoStatements(t *testing.T) {
	// Calls that only make an error, and calls that clean up after the others.
	const harmless = `^(fmt\.Errorf|errors\.New|\w+\.Err|context\.Cause|userError|append)$|` +
		`^(.*\.)?(Close|remove|Remove|RemoveAll)$`
	isCall := func(e ast.Expr, names string) bool {
		call, ok := e.(*ast.CallExpr)
		return ok && regexp.MustCompile(names).MatchString(types.ExprString(call.Fun))
	}
	for _, f := range goFiles(t) {
		if strings.HasSuffix(f.name, "_test.go") {
			continue
		}

		ast.Inspect(f.tree, func(node ast.Node) bool {
			join, ok := node.(*ast.CallExpr)
			if !ok || !isCall(join, `^errors\.Join$`) {
				return true
			}

			actions := 0
			for _, arg := range join.Args {
				if isCall(arg, ``) && !isCall(arg, harmless) {
					actions++
				}
			}
			if actions > 1 {
				t.Errorf("%s:%d: errors.Join runs statements; let each return its error", f.name, f.line(join.Pos()))
			}
			return true
		})
	}
}

type goFile struct {
	name  string
	lines []string
	tree  *ast.File
	set   *token.FileSet
}

func (f goFile) line(p token.Pos) int { return f.set.Position(p).Line }

// goFiles parses the files that we write.
func goFiles(t *testing.T) (files []goFile) {
	t.Helper()
	for _, name := range tracked(t, `\.go$`) {
		if strings.HasSuffix(name, ".gen.go") {
			continue
		}

		text, set := read(t, name), token.NewFileSet()
		tree, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, goFile{name, strings.Split(text, "\n"), tree, set})
	}
	return files
}

func statements(node ast.Node) []ast.Stmt {
	switch n := node.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

func isBlock(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return true
	}
	return false
}
