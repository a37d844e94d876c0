package main

import (
	"context"
	"os"

	vault "github.com/hashicorp/vault/api"
	aws "github.com/hashicorp/vault/api/auth/aws"
)

// logIn makes a client of its own, so that no token is left over.
func logIn(ctx context.Context, briefing Briefing, options ...aws.LoginOption) (*vault.Client, *vault.Secret, error) {
	method := must(aws.NewAWSAuth(options...))
	client := newClient(briefing.URL, "")
	secret, err := client.Auth().Login(ctx, method)
	return client, secret, err
}

// The metadata service that the helper asks is named by the environment.
func logInInstances(ctx context.Context, operator *vault.Client, briefing Briefing) {
	web := []aws.LoginOption{aws.WithEC2Auth(), aws.WithRole("web")}
	with := func(more ...aws.LoginOption) []aws.LoginOption {
		return append(append([]aws.LoginOption{}, web...), more...)
	}

	client, secret, err := logIn(ctx, briefing, with(aws.WithRSA2048Signature(), aws.WithNonce("kept-by-the-instance"))...)
	if err != nil {
		fail(err)
	}
	expect("policies", secret.Auth.Policies, []string{"default", "web"})
	expect("lease", []any{secret.Auth.LeaseDuration, secret.Auth.Renewable}, []any{120, true})
	expect("auth_type", secret.Auth.Metadata["auth_type"], "ec2")
	expect("the client's token", client.Token(), secret.Auth.ClientToken)
	did("logged an instance in by its PKCS#7 document")

	_, _, err = logIn(ctx, briefing, with(aws.WithIdentitySignature(), aws.WithNonce("kept-by-the-instance"))...)
	if err != nil {
		fail(err)
	}
	_, _, err = logIn(ctx, briefing, with(aws.WithRSA2048Signature())...)
	refused("another nonce", err, 400, "nonce")
	_, _, err = logIn(ctx, briefing, aws.WithEC2Auth(), aws.WithRole("nowhere"), aws.WithRSA2048Signature())
	refused("no such role", err, 400, "role")
	_, _, err = logIn(ctx, briefing, with(aws.WithPKCS7Signature(), aws.WithNonce("kept-by-the-instance"))...)
	refused("a document that is signed with SHA-1", err, 400, "")
	did("logged it in by document and signature with its nonce; not with another, nor with SHA-1")

	list := must(operator.Logical().ListWithContext(ctx, "auth/aws/identity-accesslist"))
	expect("access list", len(list.Data["keys"].([]any)), 1)
	did("listed the access list")
}

func logInPrincipals(ctx context.Context, briefing Briefing) {
	people := []aws.LoginOption{aws.WithIAMAuth(), aws.WithRole("people"), aws.WithRegion("us-east-1")}
	for _, key := range []Key{briefing.User, briefing.Session} {
		use(key)
		_, secret, err := logIn(ctx, briefing, append(people, aws.WithIAMServerIDHeader(serverID))...)
		if err != nil {
			fail(err)
		}
		expect("auth_type", secret.Auth.Metadata["auth_type"], "iam")
		expect("account", secret.Auth.Metadata["account_id"], "111122223333")
	}
	did("logged a user and a role session in by its own signature")

	_, _, err := logIn(ctx, briefing, append(people, aws.WithIAMServerIDHeader("other.example.org"))...)
	refused("a request for another server", err, 400, "")
	_, _, err = logIn(ctx, briefing, people...)
	refused("a request for no server", err, 400, "")
	wrong := briefing.User
	wrong.SecretKey = "x"
	use(wrong)
	_, _, err = logIn(ctx, briefing, append(people, aws.WithIAMServerIDHeader(serverID))...)
	refused("a wrong secret", err, 400, "")
	did("was refused for another server, for none, and with a wrong secret")
	use(briefing.User)
}

// use puts a key where the helper looks for one.
func use(key Key) {
	token := ""
	if key.SessionToken != nil {
		token = *key.SessionToken
	}
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": key.AccessKey, "AWS_SECRET_ACCESS_KEY": key.SecretKey, "AWS_SESSION_TOKEN": token,
	} {
		if err := os.Setenv(name, value); err != nil {
			fail(err)
		}
	}
}
