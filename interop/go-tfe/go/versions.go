package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	tfe "github.com/hashicorp/go-tfe"
)

func publishAndDelete(ctx context.Context, client *tfe.Client, archive []byte) {
	var published tfe.RegistryModuleVersion
	request, err := client.NewRequest("PUT", managed+"/3.0.0", bytes.NewReader(archive))
	must(err)
	must(request.Do(ctx, &published))
	expect("id", published.ID, "acme/greeting/test/3.0.0")
	expect("version", published.Version, "3.0.0")

	found, err := client.RegistryModules.ReadTerraformRegistryModule(ctx, module, "3.0.0")
	must(err)
	expect("id", found.ID, "acme/greeting/test/3.0.0")
	expect("inputs", len(found.Root.Inputs), 1)
	expect("input", found.Root.Inputs[0].Name, "name")
	expect("outputs", len(found.Root.Outputs), 1)
	expect("resources", len(found.Root.Resources), 1)
	expect("versions", found.Versions, []string{"3.0.0", "2.0.0", "1.1.0", "1.0.0"})
	did("published a version and read its inputs, outputs and resources")

	must(client.RegistryModules.DeleteVersion(ctx, module, "3.0.0"))
	if _, err = client.RegistryModules.ReadTerraformRegistryModule(ctx, module, "3.0.0"); err == nil || !strings.Contains(err.Error(), "404") {
		fail(fmt.Errorf("a deleted version: %v, where it should not be found", err))
	}
	did("deleted it")
}

// askOften asks more than the rate lets through at once: the client paces itself, or is told to wait and tries again.
func askOften(ctx context.Context, client *tfe.Client) {
	const calls = 30
	answers := make(chan error, calls)
	for range calls {
		go func() {
			_, err := client.RegistryModules.ReadTerraformRegistryModule(ctx, module, "1.0.0")
			answers <- err
		}()
	}
	for range calls {
		must(<-answers)
	}
	did(fmt.Sprintf("asked %d times at once and was answered each time", calls))
}
