import Foundation
import LMDB

/// The outcome of a look at the large values that lie beside a store.
public struct ExternalCollection: Hashable, Sendable {
  /// Values that records, or history, still name.
  public internal(set) var namedCount = 0
  /// Their bytes.
  public internal(set) var namedByteCount = 0
  /// Files that were removed.
  public internal(set) var removedCount = 0
  /// Their bytes.
  public internal(set) var removedByteCount = 0
}

extension RecordStore {
  /// The files of large values; nil for a store in memory.
  package var externalFolder: ExternalFolder? { core.external }

  /// Removes the files of large values that nothing in the store names any more, and what writers left that ended.
  ///
  /// A value is named as long as a record, visible or not, has it, or as history tells of the save that wrote it. One
  /// that is not named loses its place now, and its file goes `seconds` later, with the next call after that: until
  /// then objects that were read before can still read it. It stays, too, while a reader of any process looks at a
  /// state of the store from before this call. A file that is younger than `seconds` may belong to a save that is under
  /// way and is left alone. One that a wrong clock dated in the future counts as written now.
  ///
  /// The store calls this itself when history is trimmed, and after saves that have placed as many bytes as were there.
  /// Costs a pass over the tables of entities with attributes of type `Data`, and over history. The lock of writers is
  /// held while files lose their places; for the pass only if others commit all the time.
  ///
  /// - Throws: ``StoreError``. A file that could not be removed is removed by a later call.
  @discardableResult
  public func collectExternalValues(unusedForSeconds seconds: Double = 3_600) throws -> ExternalCollection {
    guard case .file = place, let folder = core.external, try !folder.isEmpty() else {
      return ExternalCollection()
    }
    let sweep = ExternalSweep(
      folder: folder, environment: core.environment, now: configuration.clock.now(),
      unusedForMilliseconds: UInt64(millisecondsOf: seconds))
    for _ in 0..<2 {
      let marks = try read { snapshot throws in
        (commit: snapshot.commitID, named: try ExternalMarks(snapshot.transaction, snapshot.layout).digests())
      }
      let done = try write { transaction, layout throws -> (ExternalCollection?, StoreLayout) in
        // Nobody has committed since, so nothing else is named.
        guard try marks.commit == sweep.lastCommit() else { return (nil, layout) }
        return (try sweep.run(keeping: marks.named), layout)
      }
      if let done { return done }
    }
    return try write { transaction, layout throws in
      (try sweep.run(keeping: ExternalMarks(transaction.view, layout).digests()), layout)
    }
  }
}

extension StoreSnapshot {
  /// The large values that records, history or the conflict log name. Costs a pass over the tables that may do so.
  package func namedValues() throws -> Set<ExternalReference> {
    var found: Set<ExternalReference> = []
    try ExternalMarks(transaction, layout).forEach { bytes, place in
      guard place + ExternalReference.byteCount <= bytes.count,
        let reference = ExternalReference(payload: bytes.slice(place..<place + ExternalReference.byteCount))
      else { return }
      found.insert(reference)
    }
    return found
  }
}

/// The large values that a state of a store names.
///
/// It looks for the mark of references in the bytes of the tables, whatever the entries mean: what looks like a name is
/// one. So a value may be kept in vain, and none is missed. A table of counts would have to be right in every rule that
/// moves a record, for ever; this needs no rule to know of it.
struct ExternalMarks {
  private let view: TransactionView
  private let layout: StoreLayout

  init(_ view: TransactionView, _ layout: StoreLayout) {
    self.view = view
    self.layout = layout
  }

  func digests() throws -> Set<[UInt8]> {
    var found: Set<[UInt8]> = []
    try forEach { Self.add($0, $1, to: &found) }
    return found
  }

  /// Adds what comes behind each mark in some bytes.
  static func collect(from bytes: RawBytes, into found: inout Set<[UInt8]>) {
    forEach(in: bytes) { add($0, $1, to: &found) }
  }

  private static func add(_ bytes: RawBytes, _ place: Int, to found: inout Set<[UInt8]>) {
    let start = place + ExternalReference.digestOffset
    if start + 32 <= bytes.count { found.insert(bytes.slice(start..<start + 32).copied()) }
  }

  /// Calls `body` with the place of each mark, in the bytes of the entry that has it.
  func forEach(_ body: (_ bytes: RawBytes, _ place: Int) -> Void) throws {
    guard layout.catalogue.hasExternalValues else { return }
    let databases = layout.databases
    // The conflict log is among the attachments.
    var tables = [databases.hidden, databases.history, databases.attachments]
    tables += layout.dataOrdinals.indices.filter { !layout.dataOrdinals[$0].isEmpty }.map { databases.records[$0] }
    if let classes = databases.classTables { tables += [classes.originals, classes.pastWrites] }
    for table in tables {
      try view.forEachKey(in: table, startingWith: []) { _, value in Self.forEach(in: value, body) }
    }
    if let tail = try view.get(.main, key: HistoryTail.key) { Self.forEach(in: tail, body) }
  }

  private static func forEach(in bytes: RawBytes, _ body: (_ bytes: RawBytes, _ place: Int) -> Void) {
    ExternalReference.mark.withRawBytes { mark in
      var offset = 0
      while let place = bytes.firstOffset(of: mark, from: offset) {
        body(bytes, place)
        offset = place + 1
      }
    }
  }
}

/// The files that go, while this process has the lock of writers.
private struct ExternalSweep: Sendable {
  let folder: ExternalFolder
  let environment: Environment
  let now: UInt64
  let unusedForMilliseconds: UInt64

  func lastCommit() throws -> UInt64 { try environment.information().lastTransactionID }

  func run(keeping named: Set<[UInt8]>) throws -> ExternalCollection {
    var result = ExternalCollection()
    let names = Set(named.map { ExternalReference.name(of: $0) })
    for item in try folder.placed() {
      if names.contains(item.name) {
        result.namedCount += 1
        result.namedByteCount += item.byteCount
      } else if try age(of: item) >= unusedForMilliseconds {
        try folder.retire(item, atMilliseconds: now)
      }
    }
    let last = try lastCommit()
    guard try environment.readers().allSatisfy({ $0.transactionID.map { $0 >= last } ?? true }) else { return result }
    for item in try folder.unusedItems() where try age(of: item) >= unusedForMilliseconds {
      try folder.remove(item)
      result.removedCount += 1
      result.removedByteCount += item.byteCount
    }
    for item in try folder.unfinishedItems() where try isAbandoned(item, named: names) {
      try folder.remove(item)
    }
    return result
  }

  /// Whatever the caller asks for: a file that somebody writes has been written to within the hour.
  /// A part of a value that is named, and has not come, stays for the run that goes on with it.
  private func isAbandoned(_ item: ExternalFolder.Item, named names: Set<String>) throws -> Bool {
    guard try age(of: item) >= 3_600_000 else { return false }
    guard let value = ArrivingValue.valueName(ofPart: item.name), names.contains(value) else { return true }
    return try FileItem.at(folder.path(of: value)) != nil
  }

  /// How long ago a file was written or lost its place.
  ///
  /// One of the future was dated by a wrong clock. It counts as seen now, and gets that date: its writer has as long to
  /// name it as that of any other file, and nobody waits for a time that may be years away.
  private func age(of item: ExternalFolder.Item) throws -> UInt64 {
    guard item.milliseconds > now else { return now - item.milliseconds }
    do {
      try folder.date(item.path, atMilliseconds: now)
    } catch let error as StoreError where error.code == .permissionDenied {
      // Another user's file keeps its date until a process of that user looks.
    }
    return 0
  }
}
