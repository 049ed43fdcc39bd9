import RecordStore

/// The attribute that says of which class a record's object is, in the entity of a hierarchy of classes.
///
/// All classes of a hierarchy share the entity of the class at its root. So a reference, a unique value and a delete
/// rule mean objects of every class without asking which; and a program or a device that does not know a subclass sees
/// its objects as those of the root. It keeps classes that it does not know and passes them on.
///
/// The attribute holds the name of the object's class alone, not of those above it: a class may be put between two
/// others without a change to any record. Nothing stands for the root, which is how records from before the first
/// subclass read. It is there once a schema has a subclass, with an index.
enum ClassField {
  /// No property can have this name.
  static let name = ".class"

  fileprivate static var attribute: AttributeDefinition {
    // Kept in tombstones, so that history tells the class of what was deleted.
    AttributeDefinition(name: name, type: .string, isOptional: true, preservesValueOnDeletion: true, isSparse: true)
  }
}

extension EntityDefinition {
  mutating func addClassField() {
    attributes.append(ClassField.attribute)
    indexes.append(IndexDefinition(ClassField.name))
  }
}
