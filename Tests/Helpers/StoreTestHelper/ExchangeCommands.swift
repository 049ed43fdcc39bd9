import Foundation
import RecordStore
import RecordSync
import Synchronization

/// `<folder> <file> <clear|sealed|transport>`: saves the bytes of a file as one value of a store, takes it through an
/// exchange folder, or over a transport, to another store, and says by how many bytes the memory that is the process's
/// own had grown at most: on the author's side, and on the receiver's.
func exchangeLargeValue(_ arguments: [String]) throws { try waiting { try await exchange(arguments) } }

/// `<store> <folder> <recovery code or none>`: synchronises the store, says after each piece of a large value how many
/// bytes of it have come, and goes on when it hears a line. Then it says how long the value of record 1 is, and its
/// digest.
func receiveLargeValue(_ arguments: [String]) throws { try waiting { try await receive(arguments) } }

/// Runs until the task has ended.
private func waiting(_ body: @escaping @Sendable () async throws -> Void) throws {
  let failure = Failures()
  let done = DispatchSemaphore(value: 0)
  Task {
    do {
      try await body()
    } catch {
      failure.first.withLock { $0 = error }
    }
    done.signal()
  }
  done.wait()
  if let error = failure.first.withLock({ $0 }) { throw error }
}

private func receive(_ arguments: [String]) async throws {
  let values = try ValueStore(arguments[0])
  var options = SyncOptions()
  options.storeID = RecordID(high: 0xFA, low: 1)
  if arguments[2] != "none" { options.key = try FamilyKey(recoveryCode: arguments[2]) }
  options.progress = { event in
    guard case .copied(_, let count, _) = event else { return }
    say("piece \(count)")
    hear()
  }
  let engine = SyncEngine(store: values.store, folder: URL(fileURLWithPath: arguments[1]), options: options)
  let report = try await engine.sync()
  guard report.isComplete else { throw Failure("the value did not come: \(report)") }
  let value = try values.value(1) ?? Data()
  say("whole \(value.count) \(ExternalReference(of: value)?.name ?? "none")")
  if let violation = try values.store.integrityViolations().first { throw Failure(violation) }
}

private final class Failures: Sendable {
  let first = Mutex<(any Error)?>(nil)
}

private func exchange(_ arguments: [String]) async throws {
  let folder = URL(fileURLWithPath: arguments[0], isDirectory: true)
  let file = try Data(contentsOf: URL(fileURLWithPath: arguments[1]), options: .alwaysMapped)
  let folders = ["author", "receiver"].map { folder.appending(path: "\($0)/group") }
  for folder in folders { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
  let stores = try folders.map { try ValueStore($0.appending(path: "values.store").path) }
  let (author, receiver) = (stores[0], stores[1])
  // What any first run takes is not counted.
  try author.save(1, ValueStore.bytes(1))
  let key = arguments[2] == "sealed" ? FamilyKey() : nil
  let shared = folder.appending(path: "exchange")
  try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: true)
  func synchronize(_ index: Int) async throws -> (isComplete: Bool, valueBytes: Int) {
    if arguments[2] == "transport" {
      let device = try DeviceDirectory(folders[index].deletingLastPathComponent())
      let report = try await DeviceSync().synchronize(device, transport: FolderTransport(shared))
      return (report.isComplete, report.stores.flatMap(\.devices.values).reduce(0) { $0 + $1.valueBytes })
    }
    var options = SyncOptions()
    options.storeID = RecordID(high: 0xFA, low: 1)
    options.key = key
    let report = try await SyncEngine(store: stores[index].store, folder: shared, options: options).sync()
    return (report.isComplete, report.valueBytes)
  }
  for index in stores.indices { _ = try await synchronize(index) }
  try author.save(2, file)
  for index in stores.indices {
    let (before, watch) = (ownByteCount(), MemoryWatch())
    let report = try await synchronize(index)
    say("\(watch.end() - before)")
    guard report.isComplete, report.valueBytes == file.count else {
      throw Failure("the value did not travel: \(report)")
    }
  }
  guard try receiver.value(2)?.count == file.count else { throw Failure("the value is not there") }
  if let violation = try receiver.store.integrityViolations().first { throw Failure(violation) }
}
