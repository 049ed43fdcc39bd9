public import Foundation

// The written form of a schema: for keeping one beside a store, or comparing two builds of an app.

extension Schema: Codable {
  private enum Key: String, CodingKey { case version, encodingVersion, entities }

  /// The schema as it was written, with its classes where this process has them.
  ///
  /// - Throws: `SwiftDataError.unknownSchema` for a schema that a later version wrote, and `DecodingError`.
  public convenience init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let written = try values.decode(Version.self, forKey: .encodingVersion)
    guard written.major == Schema.schemaEncodingVersion.major else {
      throw SwiftDataError(
        .unknownSchema, "the schema was written in form \(written), this build reads form 1: update the app")
    }
    let entities = Entity.related(try values.decode([Entity].self, forKey: .entities))
    self.init(
      entities, version: try values.decode(Version.self, forKey: .version), types: entities.compactMap(\.modelType))
  }

  /// Writes the schema in the form of ``schemaEncodingVersion``, equal for equal schemas.
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(version, forKey: .version)
    try values.encode(encodingVersion, forKey: .encodingVersion)
    try values.encode(entities.sorted { $0.name < $1.name }, forKey: .entities)
  }

  /// Writes the schema as JSON, in place of what the file held.
  ///
  /// - Throws: `EncodingError`, and what the file system says.
  public func save(to url: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    try encoder.encode(self).write(to: url, options: .atomic)
  }

  /// A schema that ``save(to:)`` wrote. A container can be made for it where the process has its classes.
  ///
  /// - Throws: what the file system says, and what reading it as a schema throws.
  public static func load(from url: URL) throws -> Schema {
    try JSONDecoder().decode(Schema.self, from: try Data(contentsOf: url))
  }
}

extension Schema.Entity: Codable {
  private enum Key: String, CodingKey {
    case name, superentityName, type, attributes, composites, relationships, order, uniquenessConstraints, indices
  }

  /// Reads an entity as it was written, with its class where this process has it.
  /// - Throws: `DecodingError`.
  public convenience init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let attributes = try values.decode([Schema.Attribute].self, forKey: .attributes)
    let composites = try values.decode([Schema.CompositeAttribute].self, forKey: .composites)
    let relationships = try values.decode([Schema.Relationship].self, forKey: .relationships)
    let all = attributes + composites as [any SchemaProperty] + relationships
    let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    let order = try values.decode([String].self, forKey: .order)
    self.init(try values.decode(String.self, forKey: .name), properties: order.compactMap { byName[$0] })
    superentityName = try values.decodeIfPresent(String.self, forKey: .superentityName)
    modelType = try values.decodeIfPresent(TypeName.self, forKey: .type)?.type as? any PersistentModel.Type
    uniquenessConstraints = try values.decode([[String]].self, forKey: .uniquenessConstraints)
    indices = try values.decode([[String]].self, forKey: .indices)
  }

  /// Writes the entity; its superentity as a name alone.
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(name, forKey: .name)
    try values.encodeIfPresent(superentityName, forKey: .superentityName)
    try values.encodeIfPresent(modelType.map { TypeName($0) }, forKey: .type)
    let attributes = properties.compactMap { $0 as? Schema.Attribute }
    try values.encode(attributes.filter { !($0 is Schema.CompositeAttribute) }, forKey: .attributes)
    try values.encode(attributes.compactMap { $0 as? Schema.CompositeAttribute }, forKey: .composites)
    try values.encode(properties.compactMap { $0 as? Schema.Relationship }, forKey: .relationships)
    try values.encode(properties.map(\.name), forKey: .order)
    try values.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
    try values.encode(indices, forKey: .indices)
  }
}

/// A type by the name that the run time finds it by.
struct TypeName: Codable {
  let type: any Any.Type

  init(_ type: any Any.Type) { self.type = type }

  /// A type that this process does not have reads as `Never`.
  init(from decoder: any Decoder) throws {
    type = _typeByName(try decoder.singleValueContainer().decode(String.self)) ?? Never.self
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(_mangledTypeName(type) ?? "")
  }
}

extension Schema.Attribute.Option: Codable {
  private static let plain: [String: Schema.Attribute.Option] = [
    "unique": .unique, "externalStorage": .externalStorage, "ephemeral": .ephemeral, "spotlight": .spotlight,
    "allowsCloudEncryption": .allowsCloudEncryption, "preserveValueOnDeletion": .preserveValueOnDeletion,
    "codable": .codable, "uniqueOrThrow": .unique(.throw),
  ]
  private static let transformable = "transformable "

  /// Reads the name of an option.
  /// - Throws: `DecodingError` for a text that names none.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    if let option = Self.plain[text] {
      self = option
    } else if text.hasPrefix(Self.transformable) {
      self = .transformable(by: String(text.dropFirst(Self.transformable.count)))
    } else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "'\(text)' is no option of an attribute"))
    }
  }

  /// Writes the name of the option.
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    let name = Self.plain.first { $0.value == self }?.key
    try container.encode(name ?? Self.transformable + (transformer?.name ?? ""))
  }
}
