// Classes of a hierarchy. All values of an object lie in one storage, which the root of the hierarchy has and whose
// numbers go on from class to class. An `init` accessor of a subclass cannot reach it, because it runs before the
// superclass is initialised; so a subclass keeps what its initialisers give (`_OwnValues`) until the object is whole.
// Class members are overridden with `super`, as a macro does not see what the superclass is called elsewhere.

extension ModelDeclaration {
  /// Written before each member that subclasses override.
  private var overridable: String { isOpen ? "open " : access }

  // MARK: The root

  /// The members of a class that others may inherit from, or that inherits from a class that is no model.
  var rootMembers: [String] {
    let values = "private \(isFinal ? "" : "final ")var _$values: Tandem::ModelStorage = \(name)._$initialStorage()"
    let members: [String] = [
      values, start("0"), initialStorage, sharedStorage, initializer(of: "_$values"),
      backingData(in: "_$values"),
    ]
    guard !isFinal else {
      return members + [schemaMetadata]
        + declarations.compactMap { declaration in
          declaration.value.map { accessor("\(access)static var \(declaration.name): [[Swift::AnyKeyPath]]", $0) }
        }
    }
    let overridables = declarations.map {
      accessor("\(overridable)class var \($0.name): [[Swift::AnyKeyPath]]", $0.value ?? "[]")
    }
    return members + [
      accessor(
        "\(overridable)class var schemaMetadata: [Tandem::Schema.PropertyMetadata]", "_$metadata(of: \(name).self)"),
      sharedMetadata(metadata(of: "_M")),
      accessor("\(overridable)class var _$propertyCount: Swift::Int", "\(properties.count)"),
      "\(overridable)func _$handOver(to storage: Tandem::ModelStorage) {\n}",
    ] + overridables
  }

  private var sharedStorage: String {
    accessor(
      "\(access)\(isFinal ? "" : "final ")var _$storage: Tandem::ModelStorage",
      isFinal ? "_$values" : "_$values.isWhole ? _$values : _$values.completed(by: self)")
  }

  /// The number of the class's first property.
  private func start(_ value: String) -> String { accessor("private static var _$start: Swift::Int", value) }

  /// Generic, because a key path from a subclass is another one than that from its superclass. Each class has its own,
  /// beside that of its superclass: it takes fewer types, so it overrides nothing. (`Self` or the metatype `self` would
  /// not do: as a type, both are the class in which they stand.)
  private func sharedMetadata(_ list: String) -> String {
    accessor(
      "\(access)static func _$metadata<_M: \(name)>(of type: _M.Type) -> [Tandem::Schema.PropertyMetadata]", list)
  }

  // MARK: Subclasses

  /// The members of a class that inherits from a model.
  var inheritingMembers: [String] {
    let values = "private \(isFinal ? "" : "final ")var _$values: Tandem::_OwnValues = \(name)._$initialStorage()"
    return [
      values, start("super._$propertyCount"),
      initialValues("Tandem::_OwnValues", by: "Tandem::_OwnValues(of: \(name).self)", from: "_$start + "),
      inheritingInitializer, handOver,
    ] + inheritingProperties
      + declarations.compactMap { declaration in
        declaration.value.map {
          accessor(
            "\(overriding)class var \(declaration.name): [[Swift::AnyKeyPath]]",
            "super.\(declaration.name) + (\($0) as [[Swift::AnyKeyPath]])")
        }
      }
  }

  private var overriding: String { "\(overridable)override " }

  private var inheritingInitializer: String {
    let lines = markers + ["super.init(backingData: Tandem::_OwnValues.passing(backingData, from: \(name).self))"]
    return """
      \(access)required init(backingData: any Tandem::BackingData<\(name).Root>) {
        \(lines.joined(separator: "\n  "))
      }
      """
  }

  private var handOver: String {
    """
    \(overriding)func _$handOver(to storage: Tandem::ModelStorage) {
      super._$handOver(to: storage)
      _$values.handOver(\(name).self, to: storage)
    }
    """
  }

  private var inheritingProperties: [String] {
    let isLast = isFinal || properties.isEmpty
    let own = properties.isEmpty ? "" : " + \(metadata(of: name))"
    let all = accessor(
      "\(overriding)class var schemaMetadata: [Tandem::Schema.PropertyMetadata]",
      isLast ? "super._$metadata(of: \(name).self)\(own)" : "_$metadata(of: \(name).self)")
    guard !isLast else { return [all] }
    let count = accessor("\(overriding)class var _$propertyCount: Swift::Int", "_$start + \(properties.count)")
    return [all, sharedMetadata("super._$metadata(of: type) + \(metadata(of: "_M"))"), count]
  }
}
