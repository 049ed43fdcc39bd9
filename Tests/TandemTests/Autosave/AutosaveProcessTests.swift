import Foundation
import HelperProcess
import RecordStore
import TestSupport
import Testing

/// Programs that never save, and how they end.
struct AutosaveProcessTests {
  /// Runs a program on a new store, and gives how it ended and how many objects are there.
  private func run(
    _ end: String?, program: String = "autosave-test-helper", _ act: (HelperProcess) throws -> Void = { _ in }
  ) throws -> (status: Int32, count: Int) {
    let folder = try makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appending(path: "notes.store")
    let arguments = [store.path] + (end.map { [$0] } ?? []) + [folder.appending(path: "other.store").path]
    let helper = try HelperProcess(arguments: arguments, program: program)
    try act(helper)
    let status = try helper.finish()
    let others = folder.appending(path: "other.store")
    let stores = [store] + (FileManager.default.fileExists(atPath: others.path) ? [others] : [])
    return (status, try stores.reduce(0) { try $0 + count($1) })
  }

  private func count(_ url: URL) throws -> Int {
    let store = try RecordStore.open(StoreConfiguration(url: url))
    try expectSound(store)
    return try store.read { snapshot in
      guard let entity = snapshot.catalogue.entity(named: "Note") else { return 0 }
      return try snapshot.count(RecordQuery(entity: entity.number))
    }
  }

  private func terminate(_ helper: HelperProcess) throws {
    try helper.expect("ready")
    kill(helper.processID, SIGTERM)
  }

  @Test(arguments: ["return", "exit", "exit elsewhere"])
  func `a program that ends keeps what it never saved`(_ end: String) throws {
    let (status, count) = try run(end)
    #expect(status == 0 && count == 1)
  }

  @Test(arguments: [nil, "exit"])
  func `a program with an asynchronous main keeps what it never saved`(_ end: String?) throws {
    let (status, count) = try run(end, program: "async-autosave-test-helper")
    #expect(status == 0 && count == 1)
  }

  @Test(arguments: ["after a save", "after a rollback"])
  func `what is changed after a save or a rollback of the same turn is saved at the end`(_ end: String) throws {
    let (status, count) = try run(end)
    #expect(status == 0 && count == 2)
  }

  @Test func `SIGTERM ends a process that has saved all, though its main actor takes no turn`() throws {
    let (status, count) = try run("saved", terminate)
    #expect(status == -SIGTERM && count == 1)
  }

  @Test func `each of several containers is saved at the end`() throws {
    let (status, count) = try run("second container")
    #expect(status == 0 && count == 2)
  }

  @Test func `a program that switched it off keeps nothing`() throws {
    let (status, count) = try run("off")
    #expect(status == 0 && count == 0)
  }

  @Test(arguments: ["run loop", "dispatch"])
  func `SIGTERM saves, and ends the process as it does without us`(_ way: String) throws {
    let (status, count) = try run(way, terminate)
    #expect(status == -SIGTERM && count == 1)
  }

  @Test func `SIGTERM ends a process whose main actor takes no turn, without the save`() throws {
    let (status, count) = try run("blocked", terminate)
    #expect(status == -SIGTERM && count == 0)
  }

  @Test func `SIGTERM is the program's own where it has a handler`() throws {
    let (status, count) = try run("own handler", terminate)
    #expect(status == 7 && count == 0)
  }

  @Test func `SIGTERM is ignored where the program ignores it`() throws {
    let (status, count) = try run("ignored", terminate)
    #expect(status == 0 && count == 1)
  }

  @Test func `a process that ends while its main thread is blocked does not wait for it`() throws {
    let (status, count) = try run("exit elsewhere, main thread blocked")
    #expect(status == 0 && count == 0)
  }

  @Test func `half a transaction is not saved, neither by a turn nor at the end`() throws {
    #expect(try run("transaction").count == 0)
    let (status, count) = try run("turn in a transaction") { helper in
      try helper.expect("inside 0")
      try helper.expect("after 2")
    }
    #expect(status == 0 && count == 2)
  }

  @Test func `what a handler of the program changes at the end is saved`() throws {
    let (status, count) = try run("handler of the app")
    #expect(status == 0 && count == 2)
  }

  @Test func `a process that ends within a save ends`() throws {
    let (status, count) = try run("exit while saving")
    #expect(status == 0 && count == 0)
  }
}
