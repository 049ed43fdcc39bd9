import Foundation

typealias Command = @Sendable ([String]) throws -> Void

/// Every command by its name.
let commands: [String: Command] = [
  "read-environment": readEnvironment,
  "describe-environment": describeEnvironment,
  "fill-environment": fillEnvironment,
  "create-database": createDatabase,
  "commit-on-request": commitOnRequest,
  "open-repeatedly": openRepeatedly,
  "hold-reader": holdReader,
  "commit-on-nearly-full-disk": commitOnNearlyFullDisk,
  "flush-while-growing": flushWhileGrowing,
  "commit-without-descriptors": commitWithoutDescriptors,
  "use-after-fork": useAfterFork,
  "open-on-read-only-disk": openOnReadOnlyDisk,
  "fill-disk": fillDisk,
  "hold-writer-lock": holdWriterLock,
  "stand-in-a-save": standInASave,
  "contend-for-writer-lock": contendForWriterLock,
  "post-notice": postNotice,
  "open-store": openStore,
  "die-opening": dieOpening,
  "die-creating": dieCreating,
  "create-bank": createBank,
  "write-bank": writeBank,
  "read-bank": readBank,
  "audit-bank": auditBank,
  "print-beside-bank": printBesideBank,
  "audit-backup": auditBackup,
  "die-backing-up": dieBackingUp,
  "die-restoring": dieRestoring,
  "read-store": readStore,
  "fill-bank": fillBank,
  "open-read-only": openReadOnly,
  "watch-store": watchStore,
  "run-once": runOnce,
  "save-and-export": saveAndExport,
  "transfer-until-refused": transferUntilRefused,
  "save-large-value": saveLargeValue,
  "exchange-large-value": exchangeLargeValue,
  "receive-large-value": receiveLargeValue,
  "die-saving-value": dieSavingValue,
  "audit-values": auditValues,
  "save-values": saveValues,
]

/// Writes a line at once, past any buffer.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// Waits for a line, or for the end of standard input.
@discardableResult
func hear() -> String? { readLine() }
