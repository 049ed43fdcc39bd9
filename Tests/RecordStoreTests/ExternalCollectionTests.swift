import Foundation
import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// When the files of large values go, and when they stay.
struct ExternalCollectionTests {
  /// Another one in each test, for the open stores of a process lend each other their files.
  private let image = Photos.bytes(200_000, seed: RecordIDGenerator.shared.next().low)

  private func files(_ store: RecordStore) throws -> Int { try #require(store.core.external).placed().count }

  /// Forgets the history behind which replaced values stand.
  private func forget(_ store: RecordStore) throws {
    try store.write { transaction, layout throws in
      let last = try StoreSnapshot(transaction: transaction.view, layout: layout).lastTransactionNumber
      try HistoryTable.trim(through: last, layout, in: transaction)
      return ((), layout)
    }
  }

  @Test func `a value stays while a record or history names it, and goes after that`() throws {
    try withPhotoStore { store in
      try store.insertPhoto(1, image: image)
      _ = try store.commit(Photos.update(1, store, image: Photos.bytes(200_000, seed: 2)))
      var found = try store.collectExternalValues(unusedForSeconds: 0)
      #expect(found.removedCount == 0 && found.namedCount == 2 && found.namedByteCount == 400_000)
      try forget(store)
      found = try store.collectExternalValues(unusedForSeconds: 0)
      #expect(found.removedCount == 1 && found.removedByteCount == 200_000 && found.namedCount == 1)
      #expect(try files(store) == 1)
      #expect(try store.image(1) == Photos.bytes(200_000, seed: 2))
    }
  }

  /// As on file systems that keep times of 64 bits.
  @Test(arguments: [Int.min, -1, Int.max / 1_000, Int.max])
  func `a file's time at the end of time stops no collection`(seconds: Int) throws {
    let folder = URL(fileURLWithPath: "/dev/shm/tandem-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let store = try RecordStore.open(
      StoreConfiguration(url: folder.appending(path: "a.store"), mapSizeBytes: 64 << 20), schema: Photos.schema)
    try store.insertPhoto(1, image: image)
    _ = try store.commit(Photos.update(1, store, image: nil))
    try forget(store)
    let item = try #require(try store.core.external?.placed().first)
    let time = timespec(tv_sec: seconds, tv_nsec: 999_999_999)
    #expect(utimensat(AT_FDCWD, item.path, [time, time], 0) == 0)
    // One of the future counts as written now.
    for _ in 0..<3 { try store.collectExternalValues(unusedForSeconds: 0) }
    #expect(try files(store) == 0)
  }

  @Test func `a deleted record's value stays as long as the tombstone has it`() throws {
    try withPhotoStore { store in
      try store.insertPhoto(1, image: image)
      try store.save(.delete(entity: 0, id: fixtureID(1)))
      try forget(store)
      try store.collectExternalValues(unusedForSeconds: 0)
      #expect(try files(store) == 1)
    }
  }

  @Test func `history that is trimmed takes the values with it that it alone named`() throws {
    let clock = ManualClock()
    let temporary = try TemporaryStore(schema: Photos.schema, clock: clock.wallClock)
    let store = temporary.store
    try store.insertPhoto(1, image: image)
    _ = try store.commit(Photos.update(1, store, image: nil))
    clock.advance(byMilliseconds: 3_600_000)
    try store.trimHistory(through: 2)
    #expect(try files(store) == 0)
    // Who read the object before still reads it, for an hour.
    #expect(ExternalFolders.data(of: try #require(ExternalReference(of: image))) == image)
    clock.advance(byMilliseconds: 3_599_999)
    #expect(try store.collectExternalValues().removedCount == 0)
    clock.advance(byMilliseconds: 1)
    #expect(try store.collectExternalValues().removedCount == 1)
    try temporary.check()
  }

  @Test func `a file without a name is left alone while it is young`() throws {
    let clock = ManualClock()
    let temporary = try TemporaryStore(schema: Photos.schema, clock: clock.wallClock)
    let folder = try #require(temporary.store.core.external)
    // As a save leaves it that ended before its commit.
    let reference = try #require(ExternalReference(of: image))
    try folder.place(image, as: reference, atMilliseconds: clock.wallClock.now())
    try temporary.store.collectExternalValues()
    #expect(try folder.has(reference))
    clock.advance(byMilliseconds: 3_600_000)
    try temporary.store.collectExternalValues(unusedForSeconds: 3_600)
    #expect(try !folder.has(reference))
    // A save that finds it gone places it again.
    try temporary.store.insertPhoto(1, image: image)
    #expect(try temporary.store.image(1) == image)
    try temporary.check()
  }

  // A clock that ran ahead dated files years from now, and they stayed until then.
  @Test func `a file that a wrong clock dated in the future counts as seen now`() throws {
    let clock = ManualClock()
    let temporary = try TemporaryStore(schema: Photos.schema, clock: clock.wallClock)
    let store = temporary.store
    let folder = try #require(store.core.external)
    let reference = try #require(ExternalReference(of: image))
    let future = clock.wallClock.now() + 10 * 365 * 86_400_000
    // A writer whose clock is ahead is about to name it.
    try folder.place(image, as: reference, atMilliseconds: future)
    let part = folder.path + "/placing/\(String(repeating: "0", count: 64)).part"
    try Data([1]).write(to: URL(fileURLWithPath: part))
    try folder.date(part, atMilliseconds: future)
    try store.collectExternalValues()
    clock.advance(byMilliseconds: 3_599_999)
    try store.collectExternalValues()
    #expect(try folder.has(reference))
    #expect(FileManager.default.fileExists(atPath: part))
    clock.advance(byMilliseconds: 1)
    try store.collectExternalValues()
    #expect(try !folder.has(reference))
    #expect(!FileManager.default.fileExists(atPath: part))
    // It lost its place, and the clock is set back before it is removed.
    let unused = try #require(try folder.unusedItems().first)
    try folder.date(unused.path, atMilliseconds: future)
    try store.collectExternalValues()
    clock.advance(byMilliseconds: 3_599_999)
    #expect(try store.collectExternalValues().removedCount == 0)
    clock.advance(byMilliseconds: 1)
    #expect(try store.collectExternalValues().removedCount == 1)
    try temporary.check()
  }

  @Test func `a part of a value stays while the value is named and has not come`() throws {
    let clock = ManualClock()
    let temporary = try TemporaryStore(schema: Photos.schema, clock: clock.wallClock)
    let store = temporary.store
    try store.insertPhoto(1, image: image)
    let reference = try #require(try store.storedImage(1))
    let folder = try #require(store.core.external)
    let value = folder.path(of: reference.name)
    func part(_ name: String) -> String { folder.path + "/placing/\(name).part" }
    let unknown = String(repeating: "0", count: 64)
    try FileManager.default.moveItem(atPath: value, toPath: part(reference.name))
    try Data([1]).write(to: URL(fileURLWithPath: part(unknown)))
    for name in [reference.name, unknown] {
      let time = Date(timeIntervalSince1970: Double(clock.wallClock.now()) / 1_000)
      try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: part(name))
    }
    try store.collectExternalValues()
    #expect(FileManager.default.fileExists(atPath: part(unknown)), "somebody may be writing to it")
    clock.advance(byMilliseconds: 3_600_001)
    try store.collectExternalValues()
    #expect(!FileManager.default.fileExists(atPath: part(unknown)))
    #expect(FileManager.default.fileExists(atPath: part(reference.name)))
    try FileManager.default.copyItem(atPath: part(reference.name), toPath: value)
    try store.collectExternalValues()
    #expect(!FileManager.default.fileExists(atPath: part(reference.name)), "the value has come")
    try temporary.check()
  }

  @Test func `a save whose file was taken away before its turn came places it again`() throws {
    try withPhotoStore { store in
      let folder = try #require(store.core.external)
      var placement = ValuePlacement(
        store.core.currentLayout, folder, savesFromByteCount: store.configuration.largeValueBytes, atMilliseconds: 0)
      var request = try SaveRequest(changes: [
        .insert(
          entity: 0, id: fixtureID(1), fields: [store.write("name", .string("n")), store.write("image", .data(image))])
      ])
      try placement.place(&request)
      #expect(try files(store) == 1)
      try store.collectExternalValues(unusedForSeconds: 0)
      #expect(try files(store) == 0)
      try placement.confirm()
      #expect(try files(store) == 1)
      // Nobody named it in the end.
      try store.collectExternalValues(unusedForSeconds: 0)
    }
  }

  @Test func `a reader of an earlier state keeps the files of that state`() throws {
    try withPhotoStore { store in
      try store.insertPhoto(1, image: image)
      let reference = try #require(try store.storedImage(1))
      try store.read { snapshot throws in
        let outcome = ThreadOutcome()
        let thread = Thread {
          outcome.set(
            Result {
              _ = try store.commit(Photos.update(1, store, image: nil))
              try forget(store)
              return try store.collectExternalValues(unusedForSeconds: 0).removedCount
            })
        }
        thread.start()
        #expect(try outcome.wait().get() == 0)
        let row = try #require(try snapshot.record(fixtureID(1), of: 0))
        #expect(try row.value(of: store.field("image")) == .data(image))
      }
      #expect(ExternalFolders.has(reference))
      #expect(try store.collectExternalValues(unusedForSeconds: 0).removedCount == 1)
      #expect(!ExternalFolders.has(reference))
    }
  }

  @Test func `an erased store has no files left`() throws {
    try withPhotoStore { store in
      try store.insertPhoto(1, image: image)
      try store.erase()
      #expect(try files(store) == 0)
      #expect(!ExternalFolders.has(try #require(ExternalReference(of: image))))
    }
  }

  @Test func `the mark of references is found wherever it stands`() throws {
    let reference = try #require(ExternalReference(of: image))
    for offset in [0, 1, 17] {
      let bytes =
        [UInt8](repeating: 0x7c, count: offset) + reference.payload + Array(reference.payload.prefix(20))
      var found: Set<[UInt8]> = []
      bytes.withRawBytes { ExternalMarks.collect(from: $0, into: &found) }
      #expect(found == [reference.digest])
    }
  }
}

/// The outcome of another thread.
// Written once before the signal, read after it.
private final class ThreadOutcome: @unchecked Sendable {
  private let done = DispatchSemaphore(value: 0)
  private var outcome: Result<Int, any Error>?

  func set(_ outcome: Result<Int, any Error>) {
    self.outcome = outcome
    done.signal()
  }

  func wait() throws -> Result<Int, any Error> {
    done.wait()
    return try #require(outcome)
  }
}
