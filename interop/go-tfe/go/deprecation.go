package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tfe "github.com/hashicorp/go-tfe"
)

// Command is what is sent, in the words of go-tfe's own JSON:API library.
type Command struct {
	Type        string  `jsonapi:"primary,module-versions"`
	Deprecation *Notice `jsonapi:"attr,deprecation"`
}

// Notice has no member but those of the specification.
type Notice struct {
	Status string `jsonapi:"attr,deprecated-status"`
	Reason string `jsonapi:"attr,reason,omitempty"`
	Link   string `jsonapi:"attr,link,omitempty"`
}

// ModuleVersion is what is answered; the library puts what is included in its place.
type ModuleVersion struct {
	ID          string       `jsonapi:"primary,module-versions"`
	Deprecation *Deprecation `jsonapi:"relation,deprecation"`
}

// Deprecation is the record of it.
type Deprecation struct {
	ID     string `jsonapi:"primary,deprecations"`
	Reason string `jsonapi:"attr,reason"`
	Link   string `jsonapi:"attr,link"`
}

// Versions decodes as strictly as stock clients do: reason and link are strings, whatever is said.
type Versions struct {
	Modules []struct {
		Versions []struct {
			Version     string `json:"version"`
			Deprecation *struct {
				Reason string `json:"reason"`
				Link   string `json:"link"`
			} `json:"deprecation"`
		} `json:"versions"`
	} `json:"modules"`
}

func patch(ctx context.Context, client *tfe.Client, version string, notice Notice) (ModuleVersion, error) {
	var answer ModuleVersion
	request, err := client.NewRequest("PATCH", managed+"/"+version, &Command{Deprecation: &notice})
	must(err)
	err = request.Do(ctx, &answer)
	return answer, err
}

func notices(ctx context.Context, client *tfe.Client) map[string]string {
	var versions Versions
	request, err := client.NewRequest("GET", read+"/versions", nil)
	must(err)
	must(request.DoJSON(ctx, &versions))
	said := map[string]string{}
	for _, each := range versions.Modules[0].Versions {
		if each.Deprecation != nil {
			said[each.Version] = each.Deprecation.Reason + "|" + each.Deprecation.Link
		}
	}
	return said
}

func deprecate(ctx context.Context, client *tfe.Client) {
	answer, err := patch(ctx, client, "1.0.0", Notice{Status: "Deprecated", Reason: "Open by default.", Link: "https://wiki.acme.example/1"})
	must(err)
	expect("id", answer.ID, "acme/greeting/test/1.0.0")
	if answer.Deprecation == nil || answer.Deprecation.ID == "" {
		fail(errors.New("the answer includes no record of the deprecation"))
	}
	expect("reason", answer.Deprecation.Reason, "Open by default.")
	expect("link", answer.Deprecation.Link, "https://wiki.acme.example/1")
	_, err = patch(ctx, client, "1.1.0", Notice{Status: "Deprecated"})
	must(err)
	expect("notices", notices(ctx, client), map[string]string{"1.0.0": "Open by default.|https://wiki.acme.example/1", "1.1.0": "|"})
	did("deprecated two versions, one without a word, and read both notices back")

	for _, version := range []string{"1.0.0", "1.1.0"} {
		answer, err = patch(ctx, client, version, Notice{Status: "Undeprecated"})
		must(err)
		expect("deprecation", answer.Deprecation == nil, true)
	}
	expect("notices", notices(ctx, client), map[string]string{})
	did("reinstated them")
}

func beRefused(ctx context.Context, client *tfe.Client, url string) {
	refused := func(what string, err error, wanted error) {
		if !errors.Is(err, wanted) {
			fail(fmt.Errorf("%s: %v, where %v is due", what, err, wanted))
		}
	}
	_, err := patch(ctx, client, "9.9.9", Notice{Status: "Deprecated"})
	refused("a version that is not there", err, tfe.ErrResourceNotFound)
	_, err = patch(ctx, newClient(url, "a-wrong-token"), "1.0.0", Notice{Status: "Deprecated"})
	refused("a wrong token", err, tfe.ErrUnauthorized)
	_, err = patch(ctx, client, "1.0.0", Notice{Status: "Deprecated", Link: "javascript:alert(1)"})
	if err == nil || !strings.Contains(err.Error(), "link") {
		fail(fmt.Errorf("a hostile link: %v, where a word about the link is due", err))
	}
	_, err = patch(ctx, client, "1.0.0", Notice{Status: "Maybe"})
	if err == nil || !strings.Contains(err.Error(), "deprecated-status") {
		fail(fmt.Errorf("a status that is none: %v, where a word about it is due", err))
	}
	did("was told what is missing, forbidden and malformed, in its own errors")
}
