import Foundation
import RecordStore

/// `<store> <destination> <step>`: makes a backup; ends by SIGKILL at that step, if it has so many. Says how it ended.
func dieBackingUp(_ arguments: [String]) throws {
  let bank = try Bank(path: arguments[0])
  guard let step = Int(arguments[2]) else { throw Failure("\(arguments[2]) is no step") }
  try bank.transfer(writer: 9, serial: Int64(Date().timeIntervalSince1970 * 1_000_000))
  do {
    try Interruption.$plan.withValue(Interruption.Plan(at: step, kills: true)) {
      _ = try bank.store.backup(to: URL(fileURLWithPath: arguments[1], isDirectory: true))
    }
    say("backed up")
  } catch let error as StoreError {
    say("\(error.code)")
  }
}

/// `<backup> <store> <step>`: restores a backup; ends by SIGKILL at that step, if it has so many.
func dieRestoring(_ arguments: [String]) throws {
  guard let step = Int(arguments[2]) else { throw Failure("\(arguments[2]) is no step") }
  let configuration = StoreConfiguration(url: URL(fileURLWithPath: arguments[1], isDirectory: true))
  try Interruption.$plan.withValue(Interruption.Plan(at: step, kills: true)) {
    _ = try RecordStore.restore(
      backupAt: URL(fileURLWithPath: arguments[0], isDirectory: true), to: configuration, keepingReplaced: false)
  }
}

/// `<backup> <serials…>`: says whether the books are right, and whether each writer's transfers up to its serial are
/// there.
func auditBackup(_ arguments: [String]) throws {
  let bank = try Bank(path: arguments[0], isReadOnly: true)
  _ = try bank.audit()
  for (index, serial) in arguments.dropFirst().enumerated() {
    let found = try bank.serials(of: Int64(index + 1))
    guard let last = Int64(serial), (1...last).allSatisfy(found.contains) else {
      throw Failure("of writer \(index + 1) transfers up to \(serial) are not all there")
    }
  }
  say("sound")
}

/// `<store>`: reads it, and says so, or why not.
func readStore(_ arguments: [String]) throws {
  do {
    let store = try RecordStore.open(StoreConfiguration(url: URL(fileURLWithPath: arguments[0]), isReadOnly: true))
    _ = try store.integrityViolations()
    say("read")
  } catch let error as StoreError {
    say("\(error.code)")
  }
}
