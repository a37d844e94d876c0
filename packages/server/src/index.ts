/** The Postern server, for embedding: what `postern serve` runs, made by one call. */
export { createAuditStream, openAuditFile } from './audit/audit-file.js';
export type { ClosableAuditSink } from './audit/audit-lines.js';
export { createHttpSink, createSyslogSink, type HttpSinkOptions } from './audit/remote-sinks.js';
export { createServer, type MethodOptions, type PosternServer, type ServerOptions } from './create-server.js';
export { createLog, type Log, type LogFacts, type LogLevel } from './log.js';
export { createMetrics, type Metrics } from './metrics/metrics.js';
export { listenForMetrics, type MetricsListener } from './metrics/metrics-listener.js';
export type { Provider, ProviderContext } from './provider.js';
export { type HostedRegistryOptions, hostedRegistry } from './registry/hosted-registry.js';
export type { OpenRegistry, RegistrySurroundings, ServedRegistry } from './registry/served-registry.js';
export {
  createTokenAuthorizer,
  REGISTRY_POLICY_PATHS,
  type TokenAuthorizerOptions,
} from './registry/token-authorizer.js';
