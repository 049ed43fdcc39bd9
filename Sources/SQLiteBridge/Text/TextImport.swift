public import Foundation
public import RecordStore
import StoreInspection

/// Takes the records of a CSV file or of JSON Lines into a store.
public struct TextImport {
  private let records: [TextRecord]

  /// Reads a CSV file: the first line has the names of properties, `@id` the records' ids if there are any,
  /// `@entity` their entities.
  ///
  /// A file whose name ends in `.tsv` is separated by tabs. Without an `entity` the file's name is the entity's.
  /// - Throws: ``BridgeError``, which names the line.
  public init(csv url: URL, entity: String? = nil) throws {
    records = try TextRecord.csv(url, entity: entity ?? url.deletingPathExtension().lastPathComponent)
  }

  /// Reads a file with one object a line, as `tandem export --json-lines` writes it.
  ///
  /// A line without `@entity` is about `entity`, or else the entity of the file's name.
  /// - Throws: ``BridgeError`` and `InspectionError`, which name the line.
  public init(jsonLines url: URL, entity: String? = nil) throws {
    records = try TextRecord.jsonLines(url, entity: entity ?? url.deletingPathExtension().lastPathComponent)
  }

  /// Enters the records into a store whose schema has their entities, as new edits in one transaction.
  ///
  /// A record that the store has, by `@id` or by a unique value, gets the values that differ and keeps what its line
  /// leaves out; others are inserted. If anything throws, nothing was imported.
  /// - Throws: ``BridgeError``, `InspectionError`, and `StoreError`.
  public func enter(into store: RecordStore, author: String? = nil, isDryRun: Bool = false) throws -> ImportReport {
    var typing = TextTyping(try store.read { $0.catalogue })
    let typed = try records.map { try typing.typed($0) }
    let outcome = try RecordLoad.apply(typed, to: store, author: author, isDryRun: isDryRun)
    return ImportReport(
      inserted: outcome.inserted, updated: outcome.updated, unchanged: outcome.unchanged,
      transaction: outcome.transaction, notes: typing.notes)
  }

  /// Makes a new store whose properties have the narrowest type that holds all values.
  ///
  /// The store is closed when this returns. If anything throws, the caller removes what was begun.
  /// - Throws: as ``enter(into:author:isDryRun:)``.
  public func create(_ configuration: StoreConfiguration, author: String? = nil) throws -> ImportReport {
    try enter(into: try RecordStore.open(configuration, schema: try derivedSchema()), author: author)
  }

  private func derivedSchema() throws -> StoreSchema {
    var entities: [String: DerivedEntity] = [:]
    var order: [String] = []
    for record in records {
      if entities[record.entity] == nil { order.append(record.entity) }
      entities[record.entity, default: DerivedEntity()].add(record)
    }
    guard !order.isEmpty else {
      throw BridgeError(.notUnderstood, "the file has no records: nothing tells what a new store would hold")
    }
    if let wide = order.first(where: { entities[$0].map(\.hasTooMany) ?? false }) {
      throw BridgeError(
        .beyondLimits,
        "\(wide) has more than \(TextRecord.maximumPropertyCount) properties: leave out some, or make a line of each")
    }
    var taken = PropertyNames()
    return StoreSchema(
      entities: order.map { entities[$0, default: DerivedEntity()].definition(named: taken.take($0)) })
  }
}

/// The properties of an entity as its lines have them.
private struct DerivedEntity {
  /// Those that hold all values so far, the narrowest first.
  private var types: [String: [FieldType]] = [:]
  private var counts: [String: Int] = [:]
  private var names: [String] = []
  private var count = 0

  var hasTooMany: Bool { names.count > TextRecord.maximumPropertyCount }

  mutating func add(_ record: TextRecord) {
    count += 1
    for (name, value) in zip(record.names, record.values) {
      if counts[name] == nil {
        names.append(name)
        counts[name] = 0
      }
      let found = value.types
      guard !found.isEmpty else { continue }
      counts[name, default: 0] += 1
      types[name] = types[name].map { DerivedEntity.common($0, found) } ?? found
    }
  }

  private static func common(_ left: [FieldType], _ right: [FieldType]) -> [FieldType] {
    let both = left.filter(right.contains)
    guard both.isEmpty else { return both }
    return [left.contains(.composite) || right.contains(.composite) ? .composite : .string]
  }

  func definition(named name: String) -> EntityDefinition {
    var definition = EntityDefinition(name: name)
    var taken = PropertyNames()
    for property in names {
      let type = types[property]?.first ?? .string
      if property == EntityDefinition.className, type == .string {
        definition.addClass()
      } else {
        definition.attributes.append(
          AttributeDefinition(
            name: taken.take(property), type: type, isOptional: counts[property, default: 0] < count))
      }
    }
    return definition
  }
}
