// Command ogen calls Roughcut with the client of ogen. It also has a server of ogen.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/ogen-go/ogen/ogenerrors"

	"example.org/clients/ogen"
)

// token signs requests with the access token in TOKEN.
type token struct{}

func (token) PersonalToken(context.Context, ogen.OperationName) (ogen.PersonalToken, error) {
	return ogen.PersonalToken{Token: os.Getenv("TOKEN")}, nil
}

func (token) Session(context.Context, ogen.OperationName) (ogen.Session, error) {
	return ogen.Session{}, ogenerrors.ErrSkipClientSecurity
}

// server answers one operation.
type server struct{ ogen.UnimplementedHandler }

func (server) GetMe(context.Context) (ogen.GetMeRes, error) {
	return &ogen.User{Name: "Ada"}, nil
}

// anyone admits every caller of the server.
type anyone struct{}

func (anyone) HandlePersonalToken(
	ctx context.Context,
	_ ogen.OperationName,
	_ ogen.PersonalToken,
) (context.Context, error) {
	return ctx, nil
}

func (anyone) HandleSession(ctx context.Context, _ ogen.OperationName, _ ogen.Session) (context.Context, error) {
	return ctx, nil
}

var _ = func() (http.Handler, error) { return ogen.NewServer(server{}, anyone{}) }

func main() {
	ctx := context.Background()
	client, err := ogen.NewClient(os.Args[1], token{})
	if err != nil {
		log.Fatal(err)
	}
	created, err := client.CreateProject(ctx, &ogen.NewProject{Name: "ogen"}, ogen.CreateProjectParams{})
	project, ok := created.(*ogen.Project)
	if err != nil || !ok {
		log.Fatal(err, created)
	}
	export, err := client.CreateExport(
		ctx,
		&ogen.NewExport{Name: ogen.NewOptString("Cut")},
		ogen.CreateExportParams{ProjectUUID: project.UUID},
	)
	refused, ok := export.(*ogen.CreateExportBadRequest)
	if err != nil || !ok {
		log.Fatal(err, export)
	}
	if refused.Code == ogen.ErrorCodeNoClips {
		fmt.Println(refused.Code)
	}
}
