public import Foundation
public import RecordStore

/// The identity and the contents of one store, at one moment.
public struct StoreReport: Hashable, Sendable {
  /// An entity of the store's catalogue.
  public struct Entity: Hashable, Sendable {
    /// The entity's name.
    public var name: String
    /// Visible records, those of inheriting entities left out.
    public var recordCount: Int
    /// Whether the schema still has the entity.
    public var isDeclared: Bool
    /// The fields by ordinal, those that the schema no longer has included.
    public var fields: [CatalogueField]
    /// The relationships, as they are declared.
    public var relationships: [CatalogueRelationship]
    /// Field names of each index, a descending one with a minus sign in front.
    public var indexes: [Index]
  }
  /// An index of an entity.
  public struct Index: Hashable, Sendable {
    /// Whether its values are unique together.
    public var isUnique: Bool
    /// The names of its fields, a descending one with a minus sign in front.
    public var components: [String]
  }

  /// The store's directory.
  public var url: URL
  /// The store's family.
  public var storeID: RecordID
  /// The store's own replica id.
  public var replica: ReplicaID
  /// The version of the schema that the store has.
  public var schemaVersion: SchemaVersion
  /// The number of the newest transaction; 0 without one.
  public var lastTransactionNumber: UInt64
  /// How far the store knows each replica.
  public var vector: VersionVector
  /// Sizes and counts of the file.
  public var statistics: StoreStatistics
  /// Snapshots that other processes hold.
  public var readers: [StoreReader]
  /// Keys of the once ledger.
  public var onceKeyCount: Int
  /// By name; join entities left out.
  public var entities: [Entity]

  /// Reads the catalogue and counts; takes time in proportion to the number of entities, not of records.
  ///
  /// - Throws: `StoreError` where the store cannot be read.
  public init(_ store: RecordStore) throws {
    url = store.url
    storeID = store.storeID
    statistics = try store.statistics()
    readers = try store.readers()
    (replica, vector, lastTransactionNumber, schemaVersion, onceKeyCount, entities) = try store.read { snapshot in
      let entities = try snapshot.catalogue.entities.filter { !$0.isJoin }.map { entity in
        let query = RecordQuery(entity: entity.number, includesSubentities: false)
        return Entity(entity, recordCount: try snapshot.count(query))
      }
      return (
        try snapshot.replica, try snapshot.versionVector, try snapshot.lastTransactionNumber,
        snapshot.catalogue.schemaVersion, try snapshot.onceKeyCount, entities.sorted { $0.name < $1.name }
      )
    }
  }
}

extension StoreReport.Entity {
  init(_ entity: CatalogueEntity, recordCount: Int) {
    name = entity.name
    self.recordCount = recordCount
    isDeclared = entity.isDeclared
    fields = entity.fields
    relationships = entity.relationships
    indexes = entity.indexes.map { index in
      StoreReport.Index(
        isUnique: index.isUnique,
        components: index.components.map { ($0.isDescending ? "-" : "") + entity.fields[$0.ordinal].name })
    }
  }

  /// `Item: 120 records` and so on belongs to the tool; this is the machine's form.
  var json: JSON {
    .members([
      "name": .string(name), "records": .integer(recordCount), "declared": isDeclared ? nil : .bool(false),
      "fields": .array(fields.map(\.json)),
      "relationships": .array(relationships.map(\.json)),
      "indexes": .array(
        indexes.map { ["unique": .bool($0.isUnique), "fields": .array($0.components.map { .string($0) })] }),
    ])
  }
}

extension CatalogueField {
  fileprivate var json: JSON {
    .members([
      "name": .string(name), "type": .string("\(type)"), "optional": .bool(isOptional),
      "destination": destination.map { .string($0) }, "declared": isDeclared ? nil : .bool(false),
    ])
  }
}

extension CatalogueRelationship {
  fileprivate var json: JSON {
    .members([
      "name": .string(name), "destination": .string(destination), "toMany": .bool(isToMany),
      "deleteRule": .string(deleteRule.rawValue), "inverse": inverse.map { .string($0) },
    ])
  }
}

extension StoreReader {
  fileprivate var json: JSON {
    .members([
      "process": processIdentifier.map { .integer(Int($0)) }, "name": processName.map { .string($0) },
      "stopped": .bool(isStopped), "commitsBehind": .integer(Int(clamping: commitsBehind)),
    ])
  }
}

extension StoreReport {
  package var json: JSON {
    [
      "path": .string(url.path), "store": .string(storeID.description), "replica": .string(replica.description),
      "formatVersion": .integer(statistics.formatVersion), "schemaVersion": .string(schemaVersion.description),
      "lastTransaction": .integer(lastTransactionNumber), "vector": vector.json,
      "fileBytes": .integer(statistics.fileBytes), "mapSizeBytes": .integer(statistics.mapSizeBytes),
      "activeReaders": .integer(statistics.activeReaders), "onceKeys": .integer(onceKeyCount),
      "readers": .array(readers.map(\.json)), "entities": .array(entities.map(\.json)),
      "tables": .array(
        statistics.tables.map {
          ["name": .string($0.name), "entries": .integer($0.entries), "bytes": .integer($0.bytes)]
        }),
    ]
  }
}
