import LMDB

/// Reads the JSON of a catalogue as ``CatalogueTable`` writes it. Foundation's decoder would be the largest single part
/// of an opening.
///
/// Nil for whatever is not plainly such a text, be it unknown members, defaults of rarer types or damage: the general
/// decoder then reads it, or says what is wrong. So this reader need not know more than the common.
struct CatalogueReader {
  private var scanner: JSONScanner

  init(_ bytes: RawBytes) { scanner = JSONScanner(bytes) }

  static func read(_ bytes: RawBytes) -> Catalogue? {
    var reader = CatalogueReader(bytes)
    guard let catalogue = reader.catalogue(), reader.scanner.isAtEnd else { return nil }
    return catalogue
  }

  private mutating func catalogue() -> Catalogue? {
    var (generation, version, next): (UInt64?, SchemaVersion?, Int?)
    var (entities, least): ([CatalogueEntity]?, SchemaVersion?)
    let isRead = scanner.members { name, scanner in
      switch name {
      case "generation": generation = scanner.integer()
      case "schemaVersion": version = scanner.version()
      case "nextIndexNumber": next = scanner.integer()
      case "leastVersion": least = scanner.version()
      case "entities": entities = scanner.elements { $0.entity() }
      default: return false
      }
      return true
    }
    guard isRead, let generation, let version, let next, let entities else { return nil }
    return Catalogue(
      generation: generation, schemaVersion: version, entities: entities, nextIndexNumber: next, leastVersion: least)
  }
}

extension JSONScanner {
  fileprivate mutating func strings() -> [String]? { elements { $0.string() } }

  fileprivate mutating func version() -> SchemaVersion? {
    var (major, minor, patch): (Int?, Int?, Int?)
    let isRead = members { name, scanner in
      switch name {
      case "major": major = scanner.integer()
      case "minor": minor = scanner.integer()
      case "patch": patch = scanner.integer()
      default: return false
      }
      return true
    }
    guard isRead, let major, let minor, let patch else { return nil }
    return SchemaVersion(major, minor, patch)
  }

  fileprivate mutating func entity() -> CatalogueEntity? {
    var (number, name, superentity): (Int?, String?, String?)
    var (isDeclared, isJoin, deleteIsFinal): (Bool?, Bool?, Bool?)
    var (previousNames, fields, relationships): ([String]?, [CatalogueField]?, [CatalogueRelationship]?)
    var (indexes, groups): ([CatalogueIndex]?, [[Int]]?)
    let isRead = members { member, scanner in
      switch member {
      case "number": number = scanner.integer()
      case "name": name = scanner.string()
      case "superentity": superentity = scanner.string()
      case "isDeclared": isDeclared = scanner.bool()
      case "isJoin": isJoin = scanner.bool()
      case "deleteIsFinal": deleteIsFinal = scanner.bool()
      case "previousNames": previousNames = scanner.strings()
      case "fields": fields = scanner.elements { $0.field() }
      case "relationships": relationships = scanner.elements { $0.relationship() }
      case "indexes": indexes = scanner.elements { $0.index() }
      case "fieldGroups": groups = scanner.elements { group in group.elements { $0.integer() } }
      default: return false
      }
      return true
    }
    guard isRead, let number, let name, let isDeclared, let isJoin, let deleteIsFinal, let previousNames, let fields,
      let relationships, let indexes, let groups
    else { return nil }
    return CatalogueEntity(
      number: number, name: name, previousNames: previousNames, superentity: superentity, isDeclared: isDeclared,
      isJoin: isJoin, fields: fields, relationships: relationships, indexes: indexes, fieldGroups: groups,
      deleteIsFinal: deleteIsFinal)
  }

  fileprivate mutating func field() -> CatalogueField? {
    var (ordinal, type): (Int?, FieldType?)
    var (name, destination, previousNames): (String?, String?, [String]?)
    var (isOptional, isDeclared, preserves, isExternal): (Bool?, Bool?, Bool?, Bool?)
    var (isSparse, value): (Bool?, FieldValue?)
    let isRead = members { member, scanner in
      switch member {
      case "ordinal": ordinal = scanner.integer()
      case "name": name = scanner.string()
      case "previousNames": previousNames = scanner.strings()
      case "type": type = scanner.integer().flatMap { FieldType(rawValue: $0) }
      case "isOptional": isOptional = scanner.bool()
      case "isDeclared": isDeclared = scanner.bool()
      case "preservesValueOnDeletion": preserves = scanner.bool()
      case "isStoredExternally": isExternal = scanner.bool()
      case "destination": destination = scanner.string()
      case "sparse":
        isSparse = scanner.bool()
        // Written for true alone.
        return isSparse == true
      case "defaultValue":
        value = scanner.value()
        return value != nil
      default: return false
      }
      return true
    }
    guard isRead, let ordinal, let name, let previousNames, let type, let isOptional, let isDeclared, let preserves,
      let isExternal
    else { return nil }
    return CatalogueField(
      ordinal: ordinal, name: name, previousNames: previousNames, type: type, isOptional: isOptional,
      isDeclared: isDeclared, defaultValue: value, preservesValueOnDeletion: preserves, isStoredExternally: isExternal,
      destination: destination, isSparse: isSparse ?? false)
  }

  /// A default of one of the common types.
  private mutating func value() -> FieldValue? {
    var value: FieldValue?
    let isRead = members { type, scanner in
      guard value == nil else { return false }
      switch type {
      case "bool": value = scanner.bool().map { .bool($0) }
      case "int": value = scanner.integer().map { .int($0) }
      case "uint": value = scanner.integer().map { .uint($0) }
      case "double": value = scanner.integer().map { .double(Double(bitPattern: $0)) }
      case "string": value = scanner.string().map { .string($0) }
      default: return false
      }
      return true
    }
    return isRead ? value : nil
  }

  fileprivate mutating func relationship() -> CatalogueRelationship? {
    var (name, destination, inverse, rule): (String?, String?, String?, DeleteRule?)
    var (isToMany, isOptional): (Bool?, Bool?)
    var (minimum, maximum, storage): (Int?, Int?, CatalogueRelationship.Storage?)
    let isRead = members { member, scanner in
      switch member {
      case "name": name = scanner.string()
      case "destination": destination = scanner.string()
      case "inverse": inverse = scanner.string()
      case "deleteRule": rule = scanner.string().flatMap { DeleteRule(rawValue: $0) }
      case "isToMany": isToMany = scanner.bool()
      case "isOptional": isOptional = scanner.bool()
      case "minimumCount": minimum = scanner.integer()
      case "maximumCount": maximum = scanner.integer()
      case "storage": storage = scanner.storage()
      default: return false
      }
      return true
    }
    guard isRead, let name, let destination, let rule, let isToMany, let isOptional, let minimum, let maximum,
      let storage
    else { return nil }
    return CatalogueRelationship(
      name: name, destination: destination, isToMany: isToMany, isOptional: isOptional, deleteRule: rule,
      inverse: inverse, minimumCount: minimum, maximumCount: maximum, storage: storage)
  }

  /// As the compiler's own coding of an enumeration: a case's name, and its values by their names.
  private mutating func storage() -> CatalogueRelationship.Storage? {
    var storage: CatalogueRelationship.Storage?
    let isRead = members { kind, scanner in
      guard storage == nil, let places = scanner.places() else { return false }
      switch (kind, places.entity, places.ordinal, places.near, places.far) {
      case ("reference", nil, let ordinal?, nil, nil): storage = .reference(ordinal: ordinal)
      case ("inverse", let entity?, let ordinal?, nil, nil): storage = .inverse(entity: entity, ordinal: ordinal)
      case ("join", let entity?, nil, let near?, let far?): storage = .join(entity: entity, near: near, far: far)
      default: return false
      }
      return true
    }
    return isRead ? storage : nil
  }

  private typealias Places = (entity: Int?, ordinal: Int?, near: Int?, far: Int?)

  private mutating func places() -> Places? {
    var places: Places = (nil, nil, nil, nil)
    let isRead = members { name, scanner in
      switch name {
      case "entity": places.entity = scanner.integer()
      case "ordinal": places.ordinal = scanner.integer()
      case "near": places.near = scanner.integer()
      case "far": places.far = scanner.integer()
      default: return false
      }
      return true
    }
    return isRead ? places : nil
  }

  fileprivate mutating func index() -> CatalogueIndex? {
    var (number, isUnique, components): (Int?, Bool?, [CatalogueIndex.Component]?)
    var sharesTree: Bool?
    let isRead = members { member, scanner in
      switch member {
      case "number": number = scanner.integer()
      case "isUnique": isUnique = scanner.bool()
      case "components": components = scanner.elements { $0.component() }
      case "shared": sharesTree = scanner.bool()
      default: return false
      }
      return true
    }
    guard isRead, let number, let isUnique, let components else { return nil }
    var index = CatalogueIndex(number: number, isUnique: isUnique, components: components)
    index.sharesTree = sharesTree ?? false
    return index
  }

  private mutating func component() -> CatalogueIndex.Component? {
    var (ordinal, isDescending, isForPeople): (Int?, Bool?, Bool?)
    let isRead = members { member, scanner in
      switch member {
      case "ordinal": ordinal = scanner.integer()
      case "isDescending": isDescending = scanner.bool()
      case "forPeople": isForPeople = scanner.bool()
      default: return false
      }
      return true
    }
    guard isRead, let ordinal, let isDescending else { return nil }
    return CatalogueIndex.Component(ordinal: ordinal, isDescending: isDescending, isForPeople: isForPeople ?? false)
  }
}

extension Catalogue {
  /// A catalogue in the JSON that stores and change sets have of it; nil for what takes the general decoder.
  package init?(commonJSON bytes: [UInt8]) {
    guard let catalogue = bytes.withRawBytes(CatalogueReader.read) else { return nil }
    self = catalogue
  }
}
