export type { EntryAction, TextChange } from './entry-change.ts';
export { createEntryEditor } from './entry-editor.ts';
export type {
  ConfigFile,
  EntryChange,
  EntryEditor,
  EntryEditorOptions,
  EntryTarget,
  FoundEntry,
  OpenConfigFile,
} from './entry-editor.ts';
export { HostError, type HostErrorCode, type TextPosition } from './errors.ts';
export type { ConfigObject } from './formats/config-format.ts';
export { configScopes } from './host.ts';
export type {
  ConfigScope,
  ElementRule,
  EntryKind,
  Host,
  HostContext,
  HostName,
  McpServerKind,
  NameRule,
  ServerCommand,
} from './host.ts';
export { hosts, sessionHosts } from './hosts.ts';
export type { SessionHost } from './session-host.ts';
