import SwiftSyntax

/// The accessors of one property, which go to the model's storage.
struct PersistedAccessors {
  private let property: PropertyDeclaration
  private let attribute: AttributeSyntax

  /// - Parameter attribute: The attribute of `number` or `number, in: "Class"`.
  init?(of declaration: some DeclSyntaxProtocol, _ attribute: AttributeSyntax) {
    guard let property = declaration.as(VariableDeclSyntax.self)?.persistedProperty else { return nil }
    self.property = property
    self.attribute = attribute
  }

  var getterAndSetter: String {
    let path = "\\.\(property.identifier.text)"
    return """
        get {
          let storage = _$storage
          storage.access(self, \(path))
          return storage.get\(property.accessSuffix)(\(number))
        }
        set {
          _$storage.set\(property.accessSuffix)(\(number), to: newValue, of: self, \(path))
        }
      """
  }

  /// So that a class's own initialisers assign the property before `self` is whole.
  var initializer: String {
    let (values, target) = owner == nil ? ("_$storage", "_$storage") : ("_$values", "_$values.target")
    let (marker, mark) = property.isInitialized ? ("_$defaults", "()") : (property.marker, "Tandem::_NoStorage()")
    return """
        @storageRestrictions(accesses: \(values), initializes: \(marker))
        init(initialValue) {
          \(target).initialize\(property.accessSuffix)(\(number), to: initialValue)
          \(marker) = \(mark)
        }
      """
  }

  /// How the storage is asked for the property.
  private var number: String {
    guard case .argumentList(let arguments) = attribute.arguments,
      let number = arguments.first?.expression.trimmedDescription
    else { return "" }
    return owner.map { "\($0)._$start + \(number)" } ?? number
  }

  /// The property's class, where it may share its objects' values with other classes.
  private var owner: String? {
    guard case .argumentList(let arguments) = attribute.arguments, arguments.count > 1 else { return nil }
    return arguments.last?.expression.as(StringLiteralExprSyntax.self)?.segments.trimmedDescription
  }
}
