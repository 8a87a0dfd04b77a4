// Command oapi calls Roughcut with the client of oapi-codegen.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"example.org/clients/oapi"
)

// server answers one operation.
type server struct{ oapi.StrictServerInterface }

func (server) GetMe(context.Context, oapi.GetMeRequestObject) (oapi.GetMeResponseObject, error) {
	return oapi.GetMe403ApplicationProblemPlusJSONResponse{
		ForbiddenApplicationProblemPlusJSONResponse: oapi.ForbiddenApplicationProblemPlusJSONResponse{
			Code: oapi.ErrorCodeForbidden,
		},
	}, nil
}

var _ = func() http.Handler { return oapi.Handler(oapi.NewStrictHandler(server{}, nil)) }

func main() {
	ctx := context.Background()
	client, err := oapi.NewClientWithResponses(os.Args[1], oapi.WithRequestEditorFn(
		func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
			return nil
		},
	))
	if err != nil {
		log.Fatal(err)
	}
	project, err := client.CreateProjectWithResponse(ctx, nil, oapi.NewProject{Name: "oapi-codegen"})
	if err != nil || project.JSON201 == nil {
		log.Fatal(err, project)
	}
	name := "Cut"
	export, err := client.CreateExportWithResponse(ctx, project.JSON201.Uuid, nil, oapi.NewExport{Name: &name})
	if err != nil || export.ApplicationproblemJSON400 == nil {
		log.Fatal(err, export)
	}
	if export.ApplicationproblemJSON400.Code == oapi.ErrorCodeNoClips {
		fmt.Println(export.ApplicationproblemJSON400.Code)
	}
}
