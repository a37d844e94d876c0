package main

import (
	"context"
	"errors"
	"time"

	vault "github.com/hashicorp/vault/api"
	aws "github.com/hashicorp/vault/api/auth/aws"
)

const patience = 20 * time.Second

// holdToken does with a token what a program does that runs for long.
func holdToken(ctx context.Context, operator *vault.Client, briefing Briefing) {
	client, secret, err := logIn(ctx, briefing, aws.WithIAMAuth(), aws.WithRole("people"), aws.WithRegion("us-east-1"), aws.WithIAMServerIDHeader(serverID))
	if err != nil {
		fail(err)
	}
	self := must(client.Auth().Token().LookupSelfWithContext(ctx))
	expect("id", self.Data["id"], secret.Auth.ClientToken)
	expect("accessor", self.Data["accessor"], secret.Auth.Accessor)
	renewed := must(client.Auth().Token().RenewSelfWithContext(ctx, 30))
	expect("the renewed lease", renewed.Auth.LeaseDuration, 30)
	did("looked its token up and renewed it")

	watcher := must(client.NewLifetimeWatcher(&vault.LifetimeWatcherInput{Secret: secret}))
	go watcher.Start()
	select {
	case renewal := <-watcher.RenewCh():
		expect("the watched token", renewal.Secret.Auth.ClientToken, secret.Auth.ClientToken)
	case err := <-watcher.DoneCh():
		fail(errors.Join(errors.New("the watcher gave up"), err))
	case <-time.After(patience):
		fail(errors.New("the watcher did not renew"))
	}
	watcher.Stop()
	did("had its lifetime watcher renew it")

	tokens := operator.Auth().Token()
	found := must(tokens.LookupAccessorWithContext(ctx, secret.Auth.Accessor))
	expect("the id behind an accessor", found.Data["id"], "")
	must(tokens.LookupWithContext(ctx, secret.Auth.ClientToken))
	if err := tokens.RevokeAccessorWithContext(ctx, secret.Auth.Accessor); err != nil {
		fail(err)
	}
	_, err = client.Auth().Token().LookupSelfWithContext(ctx)
	refused("a revoked token", err, 403, "permission denied")

	client, _, err = logIn(ctx, briefing, aws.WithIAMAuth(), aws.WithRole("people"), aws.WithRegion("us-east-1"), aws.WithIAMServerIDHeader(serverID))
	if err != nil {
		fail(err)
	}
	if err := client.Auth().Token().RevokeSelfWithContext(ctx, ""); err != nil {
		fail(err)
	}
	_, err = client.Auth().Token().LookupSelfWithContext(ctx)
	refused("a token that revoked itself", err, 403, "permission denied")
	did("had tokens looked up and revoked, by accessor and by themselves")
}
