import RecordStore
import StoreInspection

/// Gives values of text the types that a store's schema has for them.
struct TextTyping {
  private enum Property {
    case field(CatalogueField)
    case links(CatalogueRelationship)
    case unknown
  }

  private let catalogue: Catalogue
  private var shapes: [String: (names: [String], properties: [Property], fieldNames: [String])] = [:]
  private var unknown: Set<String> = []
  /// Sentences about all that the store has no property for.
  private(set) var notes: [String] = []

  init(_ catalogue: Catalogue) { self.catalogue = catalogue }

  mutating func typed(_ record: TextRecord) throws -> TypedRecord {
    let entities = catalogue.entities.filter { $0.isDeclared && !$0.isJoin }
    guard let entity = NameMatch.find(record.entity, in: entities, \.name) else {
      throw BridgeError(
        .notUnderstood,
        "line \(record.line) is about '\(record.entity)', which is no entity of the store: name one of "
          + entities.map(\.name).joined(separator: ", "))
    }
    let (properties, names) = shape(of: record, entity)
    let place = InputPlace(line: record.line)
    var typed = TypedRecord(
      entity: entity.name, id: record.id ?? RecordIDGenerator.shared.next(), names: names, values: [], place: place)
    for (property, value) in zip(properties, record.values) {
      switch property {
      case .unknown: continue
      case .field(let field): typed.values.append(try TextTyping.value(value, of: field, place))
      case .links(let relationship):
        guard let ids = value.ids else {
          throw BridgeError(
            .wrongValue, "\(place) has a value for '\(relationship.name)' that is no list of ids: correct the line")
        }
        typed.links.append((relationship.name, ids))
      }
    }
    return typed
  }

  private static func value(
    _ value: TextValue, of field: CatalogueField, _ place: InputPlace
  ) throws -> FieldValue {
    // Nothing between two commas is an empty text where there must be one.
    if value == .missing, field.type == .string, !field.isOptional { return .string("") }
    guard let value = value.value(as: field.type) else {
      throw BridgeError(
        .wrongValue, "\(place) has a value for '\(field.name)' that is no \(field.type): correct the line")
    }
    return value
  }

  private mutating func shape(
    of record: TextRecord, _ entity: CatalogueEntity
  ) -> (properties: [Property], fieldNames: [String]) {
    if let known = shapes[entity.name], known.names == record.names { return (known.properties, known.fieldNames) }
    let fields = entity.fields.filter(\.isDeclared)
    let names = Set(record.names)
    var taken: Set<String> = []
    var fieldNames: [String] = []
    let properties = record.names.map { name -> Property in
      let field = NameMatch.find(name, in: fields, beside: names, \.name)
      let relationship = field == nil ? NameMatch.find(name, in: entity.relationships, beside: names, \.name) : nil
      guard let property = field?.name ?? relationship?.name else {
        leave(name, of: entity, "the store's entity '\(entity.name)' has no property for it")
        return .unknown
      }
      guard taken.insert(property).inserted else {
        leave(name, of: entity, "another name stands for '\(property)'")
        return .unknown
      }
      if let relationship { return .links(relationship) }
      guard let field else { return .unknown }
      fieldNames.append(field.name)
      return .field(field)
    }
    shapes[entity.name] = (record.names, properties, fieldNames)
    return (properties, fieldNames)
  }

  private mutating func leave(_ name: String, of entity: CatalogueEntity, _ reason: String) {
    guard unknown.insert("\(entity.name).\(name)").inserted else { return }
    notes.append("\(name): \(reason), left out")
  }
}
