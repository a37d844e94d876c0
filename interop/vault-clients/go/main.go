// The official Go client of Vault with its helper for logging in: what an unmodified program does with Postern in the
// `vault` profile. Its briefing comes on standard input, each step that went well is a line on standard output.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	vault "github.com/hashicorp/vault/api"
)

// Briefing is what the test tells.
type Briefing struct {
	URL       string `json:"url"`
	RootToken string `json:"root_token"`
	Image     string `json:"image"`
	User      Key    `json:"user"`
	Session   Key    `json:"session"`
}

// Key is of a user, or of a role's session.
type Key struct {
	ARN          string  `json:"arn"`
	AccessKey    string  `json:"access_key"`
	SecretKey    string  `json:"secret_key"`
	SessionToken *string `json:"session_token"`
}

func main() {
	var briefing Briefing
	if err := json.NewDecoder(os.Stdin).Decode(&briefing); err != nil {
		fail(err)
	}
	ctx := context.Background()
	operator := newClient(briefing.URL, briefing.RootToken)
	administer(ctx, operator, briefing)
	logInInstances(ctx, operator, briefing)
	logInPrincipals(ctx, briefing)
	holdToken(ctx, operator, briefing)
}

// newClient is one as a program makes it; token is empty for one that has still to log in.
func newClient(url, token string) *vault.Client {
	config := vault.DefaultConfig()
	config.Address = url
	config.MaxRetries = 0
	client, err := vault.NewClient(config)
	if err != nil {
		fail(err)
	}
	client.SetToken(token)
	return client
}

func did(text string) {
	fmt.Println("  vault/api: " + text)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
