import Foundation
import RecordStore

/// An object's values as this library's own store gives them, and as any data store may use them.
///
/// Encodes each attribute as the property's type does, a to-one relationship as an identifier or null, a to-many one as
/// a list of identifiers. An attribute whose large value is not on this device is left out. Decoding needs the class: a
/// container with it must have been made in this process.
public struct DefaultSnapshot: DataStoreSnapshot, Hashable {
  enum Value: Hashable {
    case attribute(FieldValue)
    case toOne(PersistentIdentifier?)
    case toMany([PersistentIdentifier])
  }

  /// The object's identifier, temporary for one that was never saved.
  public let persistentIdentifier: PersistentIdentifier
  /// By property name. Missing is a property that an older encoding does not have, and a large value that is not on
  /// this device: an update leaves both as they are.
  let values: [String: Value]

  init(_ identifier: PersistentIdentifier, _ values: [String: Value]) {
    persistentIdentifier = identifier
    self.values = values
  }

  /// Takes an object's values. Related objects are kept as identifiers, and none is asked for.
  public init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
    self.init(backingData._storage)
  }

  init(_ storage: ModelStorage) {
    var values: [String: Value] = [:]
    for property in storage.description.properties {
      switch property.kind {
      case .attribute: values[property.name] = storage.presentValue(property.index).map { .attribute($0) }
      case .toOne:
        let target = storage.target(property.index).flatMap { $0._$storage.isDeleted ? nil : $0 }
        values[property.name] = .toOne(target?.persistentModelID)
      case .toMany:
        let members = storage.members(property.index).filter { !$0._$storage.isDeleted }
        values[property.name] = .toMany(members.map(\.persistentModelID))
      case .unsupported: break
      }
    }
    self.init(storage.persistentModelID, values)
  }

  /// The same values under another identifier, with references to remapped objects under their new ones.
  public func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> DefaultSnapshot {
    guard let remapped = remappedIdentifiers, !remapped.isEmpty else {
      return DefaultSnapshot(persistentIdentifier, values)
    }
    return DefaultSnapshot(
      persistentIdentifier,
      values.mapValues { value in
        switch value {
        case .attribute: value
        case .toOne(let target): .toOne(target.map { remapped[$0] ?? $0 })
        case .toMany(let members): .toMany(members.map { remapped[$0] ?? $0 })
        }
      })
  }
}

extension DefaultSnapshot {
  /// Writes the identifier, and each property by its name.
  /// - Throws: `SwiftDataError.unknownDataStoreSchema` where no container of this process knows the class, and what the
  ///   encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    for property in try Self.description(of: persistentIdentifier).properties {
      let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
      switch (values[property.name], property.kind) {
      case (.attribute(let value), .attribute(let codec)):
        if let value = codec.decode(value) as? any Encodable {
          try container.encode(value, forKey: key)
        } else {
          try container.encodeNil(forKey: key)
        }
      case (.toOne(let target), _): try container.encode(target, forKey: key)
      case (.toMany(let members), _): try container.encode(members, forKey: key)
      default: break
      }
    }
  }

  /// Reads what ``encode(to:)`` wrote. A property that is missing there has no value.
  /// - Throws: `SwiftDataError.unknownDataStoreSchema` where no container of this process knows the class, and
  ///   `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    let identifier = try container.decode(PersistentIdentifier.self, forKey: .persistentIdentifier)
    var values: [String: Value] = [:]
    for property in try Self.description(of: identifier).properties {
      let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
      guard container.contains(key) else { continue }
      switch property.kind {
      case .attribute(let codec):
        values[property.name] = .attribute(try Self.attribute(property, codec, key, container))
      case .toOne:
        values[property.name] = .toOne(try container.decodeIfPresent(PersistentIdentifier.self, forKey: key))
      case .toMany: values[property.name] = .toMany(try container.decode([PersistentIdentifier].self, forKey: key))
      case .unsupported: break
      }
    }
    self.init(identifier, values)
  }

  private static func attribute(
    _ property: PropertyDescription, _ codec: AttributeCodec, _ key: DataStoreSnapshotCodingKey,
    _ container: KeyedDecodingContainer<DataStoreSnapshotCodingKey>
  ) throws -> FieldValue {
    if try container.decodeNil(forKey: key) { return .null }
    let type = (property.valueType as? any OptionalType.Type)?.wrappedType ?? property.valueType
    guard let decodable = type as? any Decodable.Type,
      let value = codec.encode(try container.decode(decodable, forKey: key))
    else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: container, debugDescription: "the property \(property.name) has no value of type \(type)")
    }
    return value
  }

  private static func description(of identifier: PersistentIdentifier) throws -> ModelDescription {
    if let found = ModelDescription.inUse(named: identifier.entityName) { return found }
    throw SwiftDataError(
      .unknownDataStoreSchema,
      "no container of this process knows the class \(identifier.entityName); make one before snapshots are decoded")
  }
}
