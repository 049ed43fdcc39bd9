/// A property's value in a snapshot.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// One object's values at a moment, apart from any context. Encodes its identifier and each property by the keys
/// of ``DataStoreSnapshotCodingKey``.
///
/// ```swift
/// struct NoteSnapshot: DataStoreSnapshot {
///   var persistentIdentifier: PersistentIdentifier
///   var text: String
///
///   init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
///     guard let backing = backingData as? any BackingData<Note>, let identifier = backing.persistentModelID else {
///       preconditionFailure("This store keeps notes.")
///     }
///     persistentIdentifier = identifier
///     text = backing.getValue(forKey: \.text)
///   }
///
///   func copy(
///     persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
///   ) -> NoteSnapshot {
///     var copy = self
///     copy.persistentIdentifier = persistentIdentifier
///     return copy
///   }
/// }
/// ```
public protocol DataStoreSnapshot: Codable, Sendable {
  /// The object's identifier, temporary for one that was never saved.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Takes an object's values. Snapshots of objects that it refers to may be asked for by `relatedBackingDatas`.
  init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// The same values under another identifier, with references to other objects under theirs.
  func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

extension DataStoreSnapshot {
  /// The same values under another identifier, with references as they are.
  public func copy(persistentIdentifier: PersistentIdentifier) -> Self {
    copy(persistentIdentifier: persistentIdentifier, remappedIdentifiers: nil)
  }
}

/// The keys of an encoded snapshot.
///
/// ```swift
/// func encode(to encoder: any Encoder) throws {
///   var values = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
///   try values.encode(persistentIdentifier, forKey: .persistentIdentifier)
///   try values.encode(text, forKey: .modeledProperty("text"))
/// }
/// ```
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable, Sendable {
  /// The object's identifier.
  case persistentIdentifier
  /// A property, by its name.
  case modeledProperty(String)

  /// The key of a text; every text is one.
  public init?(stringValue: String) {
    self = stringValue == "persistentIdentifier" ? .persistentIdentifier : .modeledProperty(stringValue)
  }
  /// Nil: the keys are texts.
  public init?(intValue: Int) { nil }
  /// Nil: the keys are texts.
  public var intValue: Int? { nil }
  /// `persistentIdentifier`, or the property's name.
  public var stringValue: String {
    switch self {
    case .persistentIdentifier: "persistentIdentifier"
    case .modeledProperty(let name): name
    }
  }
}
