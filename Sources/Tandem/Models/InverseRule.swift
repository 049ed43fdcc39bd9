/// Which property is the other side of a relationship.
enum InverseRule {
  /// 1. What the property itself declares. 2. The property of the other class that declares this one.
  /// 3. Where neither class declares anything for the pair: the only relationship there and back.
  ///    A class's relationships to itself are never paired by this rule, as it can not tell them apart.
  static func inverse(of property: PropertyDescription, in owner: ModelDescription) -> ModelDescription.Inverse? {
    guard let type = property.destination else { return nil }
    let other = ModelDescription.of(type)
    guard
      let index = declared(by: property, on: other) ?? declaring(property, on: other)
        ?? only(for: property, of: owner, on: other)
    else { return nil }
    return ModelDescription.Inverse(index: index, isToMany: other.properties[index].isToMany)
  }

  private static func declared(by property: PropertyDescription, on other: ModelDescription) -> Int? {
    property.relationship?.inverseKeyPath.flatMap { other.index(of: $0) }
  }

  private static func declaring(_ property: PropertyDescription, on other: ModelDescription) -> Int? {
    other.ownProperties.first { $0.relationship?.inverseKeyPath == property.keyPath }?.index
  }

  private static func only(
    for property: PropertyDescription, of owner: ModelDescription, on other: ModelDescription
  ) -> Int? {
    guard other !== owner else { return nil }
    let there = undeclared(from: owner, to: other)
    let back = undeclared(from: other, to: owner)
    return there.count == 1 && back.count == 1 && there[0] == property.index ? back[0] : nil
  }

  /// Relationships that rule 3 cannot pair, because there are several that it could; as sentences.
  static func ambiguities(of owner: ModelDescription) -> [String] {
    owner.ownProperties.compactMap { property in
      guard let type = property.destination, type != owner.type else { return nil }
      let other = ModelDescription.of(type)
      let there = undeclared(from: owner, to: other)
      let back = undeclared(from: other, to: owner)
      guard there.contains(property.index), !back.isEmpty, there.count + back.count > 2 else { return nil }
      let candidates = back.map { "\(other.name).\(other.properties[$0].name)" }.joined(separator: " or ")
      return "\(owner.name).\(property.name) leads one way, as its other side could be \(candidates): "
        + "say which by 'inverse:'"
    }
  }

  /// Why two sides that name each other cannot be one relationship where classes inherit: each must lead to the very
  /// class that the other stands in, as an object of another class of the hierarchy has no such side.
  static func contradiction(of property: PropertyDescription, in owner: ModelDescription) -> String? {
    guard let inverse = owner.inverse(of: property.index), let type = property.destination else { return nil }
    let other = ModelDescription.of(type)
    let side = other.properties[inverse.index]
    guard let back = side.destination.map({ ModelDescription.of($0) }), back.root === owner.root else { return nil }
    let declaring = other.declaring(inverse.index)
    guard declaring !== other || back !== owner else { return nil }
    return "\(owner.name).\(property.name) leads to \(other.name), and its other side \(declaring.name).\(side.name) "
      + "to \(back.name): let each lead to the class that the other stands in"
  }

  /// Relationships from one class to another that neither side pairs.
  private static func undeclared(from owner: ModelDescription, to other: ModelDescription) -> [Int] {
    owner.ownProperties.filter { property in
      property.destination == other.type && property.relationship?.inverseKeyPath == nil
        && declaring(property, on: other) == nil
    }.map(\.index)
  }
}
