import Foundation
import RecordStore

/// The store under test: saves by the model, and the comparison with it.
struct PowerCutStore {
  let store: RecordStore

  init(path: String, creates: Bool, durability: StoreConfiguration.Durability = .full) throws {
    let url = URL(fileURLWithPath: path, isDirectory: true)
    store = try RecordStore.open(
      StoreConfiguration(url: url, createsIfMissing: creates, durability: durability),
      schema: creates ? PowerCutModel.schema : nil)
  }

  func save(_ number: Int64, seed: UInt64) throws {
    _ = try store.commit { snapshot in
      let item = try Bank.entity("Item", snapshot.catalogue)
      var changes: [RecordChange] = []
      // One change an item: the last one counts.
      var last: [Int64: PowerCutModel.Change] = [:]
      for change in PowerCutModel.changes(seed: seed, save: number) { last[change.number] = change }
      for change in last.values.sorted(by: { $0.number < $1.number }) {
        changes += try Self.change(change, item, snapshot)
      }
      changes.append(try Self.progress(number, snapshot))
      return (SaveRequest(changes: changes), 0)
    }
  }

  private static func change(
    _ change: PowerCutModel.Change, _ item: CatalogueEntity, _ snapshot: borrowing StoreSnapshot
  ) throws -> [RecordChange] {
    let filter = RecordFilter.compare(
      FieldPath(try Bank.field("number", item).ordinal), .equal, .int(change.number))
    let id = try snapshot.identifiers(RecordQuery(entity: item.number, filter: filter)).first
    guard let text = change.text else {
      return id.map { [.delete(entity: item.number, id: $0)] } ?? []
    }
    let fields = [
      try Bank.write("number", .int(change.number), item), try Bank.write("text", .string(text), item),
    ]
    if let id { return [.update(entity: item.number, id: id, fields: fields)] }
    return [.insert(entity: item.number, id: RecordIDGenerator.shared.next(), fields: fields)]
  }

  private static func progress(_ save: Int64, _ snapshot: borrowing StoreSnapshot) throws -> RecordChange {
    let progress = try Bank.entity("Progress", snapshot.catalogue)
    let fields = [
      try Bank.write("name", .string("saves"), progress), try Bank.write("save", .int(save), progress),
    ]
    if let id = try snapshot.identifiers(RecordQuery(entity: progress.number)).first {
      return .update(entity: progress.number, id: id, fields: fields)
    }
    return .insert(entity: progress.number, id: RecordIDGenerator.shared.next(), fields: fields)
  }

  /// The last save that the store has, after comparing everything it holds with the model at that save.
  func compare(seed: UInt64) throws -> Int64 {
    let violations = try store.integrityViolations()
    if !violations.isEmpty { throw Failure(violations.joined(separator: "; ")) }
    return try store.read { snapshot in
      let save = try Self.lastSave(snapshot)
      let item = try Bank.entity("Item", snapshot.catalogue)
      let (number, text) = (try Bank.field("number", item), try Bank.field("text", item))
      var found: [Int64: String] = [:]
      for image in try snapshot.fetch(RecordQuery(entity: item.number)) {
        guard case .int(let key) = image.value(of: number), case .string(let value) = image.value(of: text) else {
          throw Failure("an item has no number or no text")
        }
        found[key] = value
      }
      let model = PowerCutModel(seed: seed, saves: save)
      if found != model.items { throw Failure("the items are not those of save \(save)") }
      return save
    }
  }

  private static func lastSave(_ snapshot: borrowing StoreSnapshot) throws -> Int64 {
    let progress = try Bank.entity("Progress", snapshot.catalogue)
    guard let image = try snapshot.fetch(RecordQuery(entity: progress.number)).first else { return 0 }
    guard case .int(let save) = image.value(of: try Bank.field("save", progress)) else {
      throw Failure("the progress has no number")
    }
    return save
  }
}
