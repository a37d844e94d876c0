/** The sinks of the configuration, opened. */
import type { AuditConfig } from '../config/config.js';
import { describeError, type Log } from '../log.js';
import { forSetting } from '../start-error.js';
import { createAuditStream, openAuditFile } from './audit-file.js';
import type { ClosableAuditSink } from './audit-lines.js';
import { createHttpSink, createSyslogSink } from './remote-sinks.js';

/** @throws StartError for a file that cannot be opened. */
export function openSinks(audit: readonly AuditConfig[]): Promise<readonly ClosableAuditSink[]> {
  return Promise.all(audit.map(openSink));
}

/** As the sink names itself in log, metrics and health. */
export function sinkName({ file, syslog, http }: AuditConfig): string {
  if (syslog !== undefined) return `syslog ${syslog}`;
  if (http !== undefined) return `http ${new URL(http).origin}`;
  return file === undefined || file === '-' ? 'stdout' : `file ${file}`;
}

async function openSink({ file, syslog, http, tokenFile }: AuditConfig): Promise<ClosableAuditSink> {
  if (syslog !== undefined) return createSyslogSink(syslog);
  if (http !== undefined) return createHttpSink({ url: http, tokenFile });
  if (file === undefined || file === '-') return createAuditStream(process.stdout);
  return forSetting('audit.file', openAuditFile(file));
}

/** After files were renamed for rotation: never rejects. */
export async function reopenSinks(sinks: readonly ClosableAuditSink[], log: Log): Promise<void> {
  try {
    await Promise.all(sinks.map((sink) => sink.reopen()));
    log('info', 'audit log reopened');
  } catch (error) {
    log('error', 'could not reopen the audit log', describeError(error));
  }
}
