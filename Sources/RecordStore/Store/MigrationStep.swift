/// One thing that a migration does to a store, or would do. Properties are named as `Trip.name`.
public enum MigrationStep: Hashable, Sendable, CustomStringConvertible {
  /// The schema has an entity that the store did not have.
  case addedEntity(String)
  /// Its records stay in the file, unseen, and come back with the entity.
  case removedEntity(String)
  /// An entity has another name. Its records stay.
  case renamedEntity(from: String, to: String)
  /// An entity has a property that the store did not have.
  case addedProperty(String)
  /// Its values stay in the file, unseen, and come back with the property.
  case removedProperty(String)
  /// A property has another name. Its values stay.
  case renamedProperty(from: String, to: String)
  /// A property may be null from now on.
  case madeOptional(String)
  /// Objects without a value read the default from now on; `filled`: how many.
  case madeRequired(String, filled: Int)
  /// Records that were never given a value read another default.
  case changedDefault(String)
  /// A property's values have another type, and were converted.
  case changedType(String, from: FieldType, to: FieldType)
  /// The rules of a relationship differ, such as its delete rule or its bounds.
  case changedRelationship(String)
  /// An index was made, over all records.
  case addedIndex(String)
  /// An index was dropped.
  case removedIndex(String)
  /// Values are unique from now on.
  case addedUniqueness(String)
  /// Values need not be unique any more.
  case removedUniqueness(String)
  /// Records with one value that became unique are one record from now on: `kept`.
  case mergedRecords(entity: String, kept: RecordID, merged: [RecordID])
  /// Code of the app's ran.
  case customStage(from: SchemaVersion, to: SchemaVersion)

  /// The step in a few words, without a full stop.
  public var description: String {
    switch self {
    case .addedEntity(let name): "adds the entity \(name)"
    case .removedEntity(let name): "removes the entity \(name); its records stay in the file"
    case .renamedEntity(let old, let new): "renames the entity \(old) to \(new)"
    case .addedProperty(let name): "adds \(name)"
    case .removedProperty(let name): "removes \(name); its values stay in the file"
    case .renamedProperty(let old, let new): "renames \(old) to \(new)"
    case .madeOptional(let name): "makes \(name) optional"
    case .madeRequired(let name, let filled): "makes \(name) required; \(filled) objects take the default"
    case .changedDefault(let name): "changes the default of \(name)"
    case .changedType(let name, let old, let new): "changes the type of \(name) from \(old) to \(new)"
    case .changedRelationship(let name): "changes the rules of the relationship \(name)"
    case .addedIndex(let name): "adds the index \(name)"
    case .removedIndex(let name): "removes the index \(name)"
    case .addedUniqueness(let name): "makes \(name) unique"
    case .removedUniqueness(let name): "makes \(name) not unique any more"
    case .mergedRecords(let entity, let kept, let merged):
      "makes \(merged.count + 1) records of \(entity) one: \(kept) takes in "
        + merged.map(\.description).joined(separator: ", ")
    case .customStage(let from, let to): "runs the app's stage from \(from) to \(to)"
    }
  }

  /// Whether records are written anew, so that a copy of the store from before is worth having.
  var changesRecords: Bool {
    switch self {
    case .madeRequired(_, let filled): filled > 0
    case .changedType, .mergedRecords, .customStage: true
    default: false
    }
  }
}
