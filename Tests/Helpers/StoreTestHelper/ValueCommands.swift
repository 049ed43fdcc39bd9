import Foundation
import RecordStore
import Synchronization

/// A store of values that lie beside it.
struct ValueStore {
  let store: RecordStore

  init(_ path: String) throws {
    let schema = StoreSchema(entities: [
      EntityDefinition(
        name: "Value",
        attributes: [AttributeDefinition(name: "bytes", type: .data, isOptional: true, isStoredExternally: true)])
    ])
    store = try RecordStore.open(StoreConfiguration(url: URL(fileURLWithPath: path)), schema: schema)
  }

  /// A record per number; a later save under the same number replaces its value.
  func save(_ number: UInt64, _ value: Data) throws {
    let id = RecordID(high: 1, low: number)
    let write = FieldWrite(0, .data(value))
    let isThere = try store.read { try $0.record(id, of: 0) != nil }
    let change: RecordChange =
      isThere ? .update(entity: 0, id: id, fields: [write]) : .insert(entity: 0, id: id, fields: [write])
    _ = try store.commit(SaveRequest(changes: [change]))
  }

  func value(_ number: UInt64) throws -> Data? {
    guard let record = try store.read({ try $0.record(RecordID(high: 1, low: number), of: 0) }) else { return nil }
    return record.withView { $0.data(at: 0) }
  }

  /// The value that a serial number stands for.
  static func bytes(_ serial: UInt64) -> Data {
    var state = serial
    return Data(
      (0..<150_000).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(state >> 56)
      })
  }
}

/// `<store> <file>`: saves the bytes of a file as one value, merges them into another store, and says by how many
/// bytes the memory that is the process's own had grown at most.
func saveLargeValue(_ arguments: [String]) throws {
  let values = try ValueStore(arguments[0])
  try values.save(1, ValueStore.bytes(1))
  let file = try Data(contentsOf: URL(fileURLWithPath: arguments[1]), options: .alwaysMapped)
  let before = ownByteCount()
  let watch = MemoryWatch()
  try values.save(2, file)
  say("\(watch.end() - before)")
  guard try values.value(2)?.count == file.count else { throw Failure("the value is not there") }
}

/// Looks at the process's own memory all the time, until it is told to end.
struct MemoryWatch {
  private let peak = SharedNumber(ownByteCount())
  private let isDone = SharedNumber(0)

  init() {
    let watch = Thread { [peak, isDone] in
      while isDone.value == 0 { peak.raise(to: ownByteCount()) }
    }
    watch.start()
  }

  /// The most that was seen.
  func end() -> Int {
    isDone.raise(to: 1)
    return peak.value
  }
}

private final class SharedNumber: Sendable {
  private let number: Atomic<Int>
  init(_ number: Int) { self.number = Atomic(number) }
  var value: Int { number.load(ordering: .sequentiallyConsistent) }
  func raise(to other: Int) { number.max(other, ordering: .sequentiallyConsistent) }
}

/// The resident bytes that belong to no file.
func ownByteCount() -> Int {
  let status = FileManager.default.contents(atPath: "/proc/self/status").map { String(decoding: $0, as: UTF8.self) }
  let line = status?.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
  return line.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) }.map { $0 << 10 } ?? 0
}

/// `<store> <serial> <step>`: saves the value of a serial number; ends by SIGKILL at that step, if it has so many.
func dieSavingValue(_ arguments: [String]) throws {
  let values = try ValueStore(arguments[0])
  guard let serial = UInt64(arguments[1]), let step = Int(arguments[2]) else { throw Failure("two numbers") }
  try Interruption.$plan.withValue(Interruption.Plan(at: step, kills: true)) {
    try values.save(1, ValueStore.bytes(serial))
  }
  say("saved")
}

/// `<store> <serial…>`: says which of the serial numbers record 1 has, once the store is sound.
func auditValues(_ arguments: [String]) throws {
  let values = try ValueStore(arguments[0])
  if let violation = try values.store.integrityViolations().first { throw Failure(violation) }
  let found = try values.value(1)
  let serial = arguments.dropFirst().first { UInt64($0).map(ValueStore.bytes) == found }
  say(serial ?? "none")
}

/// `<store> <writer> <count>`: saves values in turn, ten in all, that other writers save too, and clears away what
/// nobody names after each.
func saveValues(_ arguments: [String]) throws {
  let values = try ValueStore(arguments[0])
  guard let writer = UInt64(arguments[1]), let count = UInt64(arguments[2]) else { throw Failure("two numbers") }
  say("saving")
  for turn in 1...count {
    let serial = (turn * 7 + writer) % 10
    try values.save(writer, ValueStore.bytes(serial))
    try values.store.trimHistory(through: try values.store.read { try $0.lastTransactionNumber })
    try values.store.collectExternalValues(unusedForSeconds: 0)
    guard try values.value(writer) == ValueStore.bytes(serial) else { throw Failure("a value is another one") }
  }
}
