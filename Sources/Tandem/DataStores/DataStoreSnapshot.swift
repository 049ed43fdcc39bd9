/// What a snapshot holds of a property.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// One object's values at a moment, apart from any context. Encodes its identifier and each property by the keys
/// of ``DataStoreSnapshotCodingKey``.
public protocol DataStoreSnapshot: Codable, Sendable {
  var persistentIdentifier: PersistentIdentifier { get }

  /// Takes an object's values. Snapshots of objects that it refers to may be asked for by `relatedBackingDatas`.
  init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// The same values under another identifier, with references to other objects under theirs.
  func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

extension DataStoreSnapshot {
  public func copy(persistentIdentifier: PersistentIdentifier) -> Self {
    copy(persistentIdentifier: persistentIdentifier, remappedIdentifiers: nil)
  }
}

/// The keys of an encoded snapshot.
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable, Sendable {
  case persistentIdentifier
  case modeledProperty(String)

  public init?(stringValue: String) {
    self = stringValue == "persistentIdentifier" ? .persistentIdentifier : .modeledProperty(stringValue)
  }
  /// Nil: the keys are texts.
  public init?(intValue: Int) { nil }
  public var intValue: Int? { nil }
  public var stringValue: String {
    switch self {
    case .persistentIdentifier: "persistentIdentifier"
    case .modeledProperty(let name): name
    }
  }
}
