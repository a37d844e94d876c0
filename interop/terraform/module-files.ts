/** A small module that needs no provider of the network: variables, locals, `terraform_data`, a submodule, a README. */
import type { Files } from './archives.js';

export function moduleFiles(version: string): Files {
  return {
    'README.md': `# Greeting\n\nVersion ${version}.\n`,
    'versions.tf': 'terraform {\n  required_version = ">= 1.4"\n}\n',
    'variables.tf': `variable "name" {
  type        = string
  description = "Who is greeted."
}
`,
    'main.tf': `locals {
  greeting = "hello \${var.name} from ${version}"
}

resource "terraform_data" "greeting" {
  input = local.greeting
}
`,
    'outputs.tf': `output "greeting" {
  value = local.greeting
}
`,
    'modules/shout/main.tf': `variable "text" {
  type = string
}

output "loud" {
  value = upper("\${var.text} ${version}")
}
`,
  };
}
