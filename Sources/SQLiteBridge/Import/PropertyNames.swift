import RecordStore

/// Names of an entity's properties, each given once.
struct PropertyNames {
  private var taken: Set<String> = []

  /// The name, or the other, or one of these with a number.
  mutating func take(_ wanted: String, or other: String? = nil) -> String {
    for candidate in [wanted, other].compactMap(\.self).map({ PropertyNames.storable($0) })
    where taken.insert(candidate).inserted {
      return candidate
    }
    let base = PropertyNames.storable(other ?? wanted)
    var number = 2
    while !taken.insert("\(base)_\(number)").inserted { number += 1 }
    return "\(base)_\(number)"
  }

  /// `author` of `author_id` and `authorId`.
  static func relationship(_ column: String) -> String {
    for suffix in ["_id", "_ID", "Id", "ID"] where column.hasSuffix(suffix) && column.count > suffix.count {
      return String(column.dropLast(suffix.count))
    }
    return column
  }

  /// `book` of `Book`, as properties are written.
  static func property(_ table: String) -> String { table.prefix(1).lowercased() + table.dropFirst() }

  /// `books` of `Book` and of `books`.
  static func several(_ table: String) -> String {
    let name = property(table)
    return name.hasSuffix("s") ? name : name + "s"
  }

  /// A store keeps names that begin with these marks for itself.
  static func storable(_ name: String) -> String {
    name.isEmpty || name.hasPrefix("~") || name.hasPrefix(".") ? "_" + name : name
  }
}

extension EntityDefinition {
  /// The name of the attribute that says of which class a record is, where classes share the entity.
  static let className = ".class"

  /// Has records of several classes.
  mutating func addClass() {
    attributes.append(
      AttributeDefinition(
        name: EntityDefinition.className, type: .string, isOptional: true, preservesValueOnDeletion: true,
        isSparse: true))
    indexes.append(IndexDefinition(EntityDefinition.className))
  }
}
