import Foundation
import RecordStore

/// The store under test: the saves of several writers by the model, a bank whose sum never changes, and the comparison.
struct Ledger {
  let store: RecordStore

  init(_ configuration: StoreConfiguration, schema: StoreSchema? = nil) throws {
    store = try RecordStore.open(configuration, schema: schema)
  }

  /// The one at a path that must be there.
  init(at path: String) throws {
    try self.init(StoreConfiguration(url: URL(fileURLWithPath: path), createsIfMissing: false))
  }

  /// The bank's accounts, unless they are there.
  func open(accounts count: Int64 = LedgerSchema.accountCount) throws {
    _ = try store.commit { snapshot in
      let account = try Rows("Account", in: snapshot)
      guard try snapshot.count(RecordQuery(entity: account.entity.number)) == 0 else { return (SaveRequest(), ()) }
      let changes = try (0..<count).map { number in
        try account.insert(["number": .int(number), "balance": .int(LedgerSchema.openingBalance)])
      }
      return (SaveRequest(changes: changes), ())
    }
  }

  /// One save of a writer: its items by the model, how far it has come, and a transfer if the store has the bank.
  func save(_ number: Int64, writer: Int64, seed: UInt64, transfers: Bool = true) throws {
    _ = try store.commit { snapshot in
      var changes: [RecordChange] = []
      let items = try Rows("Item", in: snapshot)
      for change in LedgerModel.changes(seed: seed, writer: writer, save: number) {
        let id = try items.id(where: "number", is: change.number, snapshot)
        if let text = change.text {
          var fields: [String: FieldValue] = [
            "number": .int(change.number), "writer": .int(writer), "text": .string(text),
          ]
          if items.hasScans { fields["scan"] = LedgerModel.scan(of: text).map { .data($0) } ?? .null }
          changes.append(try id.map { try items.update($0, fields) } ?? items.insert(fields))
        } else if let id {
          changes.append(.delete(entity: items.entity.number, id: id))
        }
      }
      let progress = try Rows("Progress", in: snapshot)
      let fields: [String: FieldValue] = ["writer": .int(writer), "save": .int(number)]
      let id = try progress.id(where: "writer", is: writer, snapshot)
      changes.append(try id.map { try progress.update($0, fields) } ?? progress.insert(fields))
      if transfers { changes += try Self.transfer(number, snapshot) }
      return (SaveRequest(author: "writer \(writer)", changes: changes), ())
    }
  }

  private static func transfer(_ number: Int64, _ snapshot: borrowing StoreSnapshot) throws -> [RecordChange] {
    let account = try Rows("Account", in: snapshot)
    return try [(number, -number), (number + 1, number)].compactMap { place, amount in
      let wanted = place % LedgerSchema.accountCount
      guard let id = try account.id(where: "number", is: wanted, snapshot),
        let image = try snapshot.fetch(account.query(where: "number", is: wanted)).first
      else { return nil }
      return try account.update(id, ["balance": .int(try account.integer("balance", of: image) + amount)])
    }
  }

  /// The last save of each writer that the store has.
  func progress() throws -> [Int64: Int64] { try store.read { try Self.progress(in: $0) } }

  private static func progress(in snapshot: borrowing StoreSnapshot) throws -> [Int64: Int64] {
    let progress = try Rows("Progress", in: snapshot)
    var saves: [Int64: Int64] = [:]
    for image in try snapshot.fetch(RecordQuery(entity: progress.entity.number)) {
      saves[try progress.integer("writer", of: image)] = try progress.integer("save", of: image)
    }
    return saves
  }

  /// Compares everything in one snapshot with the models at the saves that it names; returns those.
  func audit(seed: UInt64) throws -> [Int64: Int64] {
    if let violation = try store.integrityViolations().first { throw Finding("the store is not sound: \(violation)") }
    return try store.read { snapshot in
      _ = try Self.sum(in: snapshot)
      let saves = try Self.progress(in: snapshot)
      let items = try Rows("Item", in: snapshot)
      var found: [Int64: String] = [:]
      for image in try snapshot.fetch(RecordQuery(entity: items.entity.number)) {
        guard case .string(let text) = image.value(of: try items.field("text")) else {
          throw Finding("an item has no text")
        }
        found[try items.integer("number", of: image)] = text
        guard items.hasScans else { continue }
        // Nil where its file is missing.
        let ordinal = try items.field("scan").ordinal
        let scan = image.withView { $0.data(at: ordinal) }
        guard scan == LedgerModel.scan(of: text) else { throw Finding("the scan of an item is not that of its text") }
      }
      var expected: [Int64: String] = [:]
      for (writer, save) in saves {
        expected.merge(LedgerModel(seed: seed, writer: writer, saves: save).items) { $1 }
      }
      if found != expected { throw Finding("the items are not those of the saves \(saves)") }
      return saves
    }
  }

  /// Every large value that is named is whole beside the store, or awaited, and nothing else is there once it was
  /// cleared away. For a store in which nobody saves meanwhile.
  func auditValues() throws {
    guard let folder = store.externalFolder else { return }
    for _ in 0..<2 { try store.collectExternalValues(unusedForSeconds: 0) }
    let (named, listed) = try store.read { (try $0.namedValues(), try $0.listedValues()) }
    let awaited = Set(listed.filter(\.isAwaited).map(\.reference))
    if let lost = named.first(where: { !awaited.contains($0) && !folder.isSound($0) }) {
      throw Finding("the large value \(lost.name) is named and not whole")
    }
    let surplus = Set(try folder.placed().map(\.name)).subtracting(named.map(\.name))
    if let name = surplus.first { throw Finding("the large value \(name) stays although nothing names it") }
  }

  /// Throws unless the accounts have what they had in the beginning; false where there are none yet.
  func checkSum() throws -> Bool { try store.read { try Self.sum(in: $0) } }

  /// As ``checkSum()``, of a snapshot.
  static func sum(in snapshot: borrowing StoreSnapshot) throws -> Bool {
    let account = try Rows("Account", in: snapshot)
    let images = try snapshot.fetch(RecordQuery(entity: account.entity.number))
    let sum = try images.reduce(0) { $0 + (try account.integer("balance", of: $1)) }
    let expected = LedgerSchema.openingBalance * Int64(images.count)
    if sum != expected { throw Finding("\(images.count) accounts have \(sum) together, not \(expected)") }
    return !images.isEmpty
  }
}
