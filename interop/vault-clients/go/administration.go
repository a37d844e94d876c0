package main

import (
	"context"

	vault "github.com/hashicorp/vault/api"
)

const serverID = "postern.example.org"

func administer(ctx context.Context, operator *vault.Client, briefing Briefing) {
	health := must(operator.Sys().HealthWithContext(ctx))
	expect("health", []bool{health.Initialized, health.Sealed}, []bool{true, false})
	seal := must(operator.Sys().SealStatusWithContext(ctx))
	expect("seal-status", []bool{seal.Initialized, seal.Sealed}, []bool{true, false})
	expect("init", must(operator.Sys().InitStatusWithContext(ctx)), true)
	leader := must(operator.Sys().LeaderWithContext(ctx))
	expect("leader", []bool{leader.HAEnabled, leader.IsSelf}, []bool{false, true})
	methods := must(operator.Sys().ListAuthWithContext(ctx))
	expect("auth methods", []string{methods["aws/"].Type, methods["token/"].Type}, []string{"aws", "token"})
	mounts := must(operator.Sys().ListMountsWithContext(ctx))
	expect("mounts", mounts["sys/"].Type, "system")
	capabilities := must(operator.Sys().CapabilitiesSelfWithContext(ctx, "auth/aws/role/web"))
	expect("capabilities", capabilities, []string{"root"})
	did("asked how the server is, what it serves and what the token may do")

	logical := operator.Logical()
	write := func(path string, fields map[string]any) {
		must(logical.WriteWithContext(ctx, "auth/aws/"+path, fields))
	}
	write("config/client", map[string]any{"iam_server_id_header_value": serverID})
	client := must(logical.ReadWithContext(ctx, "auth/aws/config/client"))
	expect("config/client", client.Data["iam_server_id_header_value"], serverID)

	write("role/web", map[string]any{
		"auth_type": "ec2", "bound_ami_id": []string{briefing.Image}, "token_policies": []string{"web"}, "token_ttl": "2m",
	})
	write("role/people", map[string]any{
		"auth_type": "iam", "bound_iam_principal_arn": []string{briefing.User.ARN, briefing.Session.ARN},
	})
	write("role/gone", map[string]any{"auth_type": "ec2", "bound_region": "eu-west-1"})
	must(logical.DeleteWithContext(ctx, "auth/aws/role/gone"))
	if gone := must(logical.ReadWithContext(ctx, "auth/aws/role/gone")); gone != nil {
		expect("a deleted role", gone.Data, nil)
	}
	roles := must(logical.ListWithContext(ctx, "auth/aws/roles"))
	expect("roles", roles.Data["keys"], []any{"people", "web"})
	web := must(logical.ReadWithContext(ctx, "auth/aws/role/web"))
	expect("bound_ami_id", web.Data["bound_ami_id"], []any{briefing.Image})
	expect("token_ttl", web.Data["token_ttl"], 120)

	_, err := logical.WriteWithContext(ctx, "auth/aws/role/web", map[string]any{"bound_iam_principal_arn": "arn:aws:iam::111122223333:role/x"})
	refused("a bound of the other type", err, 400, "bound_iam_principal_arn")
	_, err = newClient(briefing.URL, "").Logical().ReadWithContext(ctx, "auth/aws/role/web")
	refused("a read without a token", err, 403, "permission denied")
	did("wrote, read, listed and deleted configuration and roles")
}
