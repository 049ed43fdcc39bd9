import Foundation

typealias Command = @Sendable ([String]) throws -> Void

/// Every command by its name.
let commands: [String: Command] = [
  "read-environment": readEnvironment,
  "describe-environment": describeEnvironment,
  "fill-environment": fillEnvironment,
  "create-database": createDatabase,
  "log-commits": logCommits,
  "commit-relaxed": commitRelaxed,
  "log-and-fork": logAndFork,
  "log-until-flush-fails": logUntilFlushFails,
  "log-on-full-disk": logOnFullDisk,
  "commit-on-request": commitOnRequest,
  "log-and-tell": logAndTell,
  "log-without-descriptors": logWithoutDescriptors,
  "use-after-fork": useAfterFork,
  "open-on-read-only-disk": openOnReadOnlyDisk,
  "fill-disk": fillDisk,
  "hold-writer-lock": holdWriterLock,
  "contend-for-writer-lock": contendForWriterLock,
  "post-notice": postNotice,
  "open-store": openStore,
  "die-opening": dieOpening,
  "die-creating": dieCreating,
  "create-bank": createBank,
  "write-bank": writeBank,
  "read-bank": readBank,
  "audit-bank": auditBank,
  "fill-bank": fillBank,
  "open-read-only": openReadOnly,
  "watch-store": watchStore,
  "run-once": runOnce,
  "save-and-export": saveAndExport,
  "save-power-cut": savePowerCut,
  "save-on-request": saveOnRequest,
  "check-power-cut": checkPowerCut,
  "save-until-refused": saveUntilRefused,
  "recover-power-cut": recoverPowerCut,
  "replay-power-cut": replayPowerCut,
]

/// Writes a line at once, past any buffer.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// Waits for a line, or for the end of standard input.
@discardableResult
func hear() -> String? { readLine() }
