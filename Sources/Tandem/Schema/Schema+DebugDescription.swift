// The texts of schemas for a debugger and `dump`.

extension Schema: CustomDebugStringConvertible {
  /// The version, and the entities by name.
  public var debugDescription: String {
    "Schema \(version): \(entities.map(\.name).sorted().joined(separator: ", "))"
  }
}

extension Schema.Entity: CustomDebugStringConvertible {
  /// The name, and the properties in the order of their declaration.
  public var debugDescription: String { "\(name): \(properties.map(\.name).joined(separator: ", "))" }
}

extension Schema.Attribute: CustomDebugStringConvertible {
  /// The name and the type.
  public var debugDescription: String { "\(name): \(valueType)" }
}

extension Schema.Relationship: CustomDebugStringConvertible {
  /// The name and the type, and where it leads.
  public var debugDescription: String {
    let inverse = inverseName.map { ", the other side of \(destination).\($0)" } ?? ""
    return "\(name): \(valueType)\(inverse)"
  }
}
