// go-tfe, the client of the platform whose interface the registry's is: JSON:API by its own library, its own errors, its own
// rate limiter, unmodified. Its briefing comes on standard input, each step that went well is a line on standard output.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	tfe "github.com/hashicorp/go-tfe"
)

// Briefing is what the test tells.
type Briefing struct {
	URL          string `json:"url"`
	ManagerToken string `json:"manager_token"`
	// Archive is that of version 3.0.0, base64.
	Archive []byte `json:"archive"`
}

const (
	managed = "organizations/acme/registry-modules/private/acme/greeting/test"
	read    = "/api/registry/v1/modules/acme/greeting/test"
)

var module = tfe.RegistryModuleID{
	Organization: "acme", Namespace: "acme", Name: "greeting", Provider: "test", RegistryName: tfe.PrivateRegistry,
}

func main() {
	var briefing Briefing
	must(json.NewDecoder(os.Stdin).Decode(&briefing))
	ctx := context.Background()
	client := newClient(briefing.URL, briefing.ManagerToken)
	deprecate(ctx, client)
	beRefused(ctx, client, briefing.URL)
	publishAndDelete(ctx, client, briefing.Archive)
	askOften(ctx, client)
}

// newClient asks for the rate before anything else, as every go-tfe does.
func newClient(url, token string) *tfe.Client {
	client, err := tfe.NewClient(&tfe.Config{Address: url, Token: token, RetryServerErrors: false})
	must(err)
	return client
}

func must(err error) {
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func expect(what string, actual, wanted any) {
	if fmt.Sprint(actual) != fmt.Sprint(wanted) {
		fail(fmt.Errorf("%s: %v, where %v is due", what, actual, wanted))
	}
}

func did(text string) {
	fmt.Println("  go-tfe: " + text)
}
