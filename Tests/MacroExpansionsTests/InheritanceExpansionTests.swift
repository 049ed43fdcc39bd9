import MacroExpander
import Testing

/// What `@Model` makes of classes that share their objects' values with others.
@Suite struct InheritanceExpansionTests {
  private func expansion(of source: String, conformances: [String] = ["PersistentModel", "_RootModel"]) throws -> String
  {
    try Expansion(
      of: source, leaving: ["_PersistedProperty", "_PersistedDefault", "_PersistedInitializer"],
      conformances: conformances
    ).text
  }

  @Test func `a class that others may inherit from lets them add and override`() throws {
    let source = """
      @Model open class Trip {
        #Index<Trip>([\\.name])
        public var name: String = ""
        init() {}
      }
      """
    #expect(
      try expansion(of: source) == """
        open class Trip {
          @_PersistedDefault(0, in: "Trip") @_PersistedInitializer(0, in: "Trip")
          public var name: String = ""
          init() {}

          private final var _$defaults: ()

          private final var _$values: Tandem::ModelStorage = Trip._$initialStorage()

          private static var _$start: Swift::Int {
            0
          }

          private static func _$initialStorage() -> Tandem::ModelStorage {
            Tandem::ModelStorage.initial(for: Trip.self) { storage in
              storage.initialize(0, to: "" as String)
            }
          }

          public final var _$storage: Tandem::ModelStorage {
            _$values.isWhole ? _$values : _$values.completed(by: self)
          }

          public required init(backingData: any Tandem::BackingData<Trip>) {
            if !Tandem::ModelStorage.isAdopted(Swift::ObjectIdentifier(_$values)) {
              _$values = Tandem::ModelStorage.adopting(backingData)
            }
          }

          public var persistentBackingData: any Tandem::BackingData<Trip> {
            get {
              _$storage.backingData(of: self)
            }
            set {
              _$values = Tandem::ModelStorage.adopting(newValue)
            }
          }

          open class var schemaMetadata: [Tandem::Schema.PropertyMetadata] {
            _$metadata(of: Trip.self)
          }

          public static func _$metadata<_M: Trip>(of type: _M.Type) -> [Tandem::Schema.PropertyMetadata] {
            [
              Tandem::Schema.PropertyMetadata(name: "name", keypath: \\_M.name, defaultValue: "" as String)
            ]
          }

          open class var _$propertyCount: Swift::Int {
            1
          }

          open func _$handOver(to storage: Tandem::ModelStorage) {
          }

          open class var _$uniqueness: [[Swift::AnyKeyPath]] {
            []
          }

          open class var _$index: [[Swift::AnyKeyPath]] {
            Tandem::Schema.Index<Trip>(.binary([\\.name])).keyPaths
          }

          open class var _$groups: [[Swift::AnyKeyPath]] {
            []
          }
        }

        nonisolated extension Trip: Tandem::PersistentModel, Tandem::_RootModel {
        }
        """)
  }

  @Test func `a subclass keeps its initial values until the object is whole, and numbers on`() throws {
    let source = """
      @Model final class Cruise: Trip {
        #Unique<Cruise>([\\.ship])
        var ship: String
        var decks: Int = 3
        init(ship: String) {
          self.ship = ship
          super.init()
        }
      }
      """
    #expect(
      try expansion(of: source, conformances: []) == """
        final class Cruise: Trip {
          @_PersistedProperty(0, in: "Cruise")
          var ship: String
          @_PersistedDefault(1, in: "Cruise") @_PersistedInitializer(1, in: "Cruise")
          var decks: Int = 3
          init(ship: String) {
            self.ship = ship
            super.init()
          }

          private var _$defaults: ()

          private var _$values: Tandem::_OwnValues = Cruise._$initialStorage()

          private static var _$start: Swift::Int {
            super._$propertyCount
          }

          private static func _$initialStorage() -> Tandem::_OwnValues {
            Tandem::_OwnValues(of: Cruise.self) { storage in
              storage.initialize(_$start + 1, to: 3 as Int)
            }
          }

          required init(backingData: any Tandem::BackingData<Cruise.Root>) {
            _ship = Tandem::_NoStorage()
            super.init(backingData: Tandem::_OwnValues.passing(backingData, from: Cruise.self))
          }

          override func _$handOver(to storage: Tandem::ModelStorage) {
            super._$handOver(to: storage)
            _$values.handOver(Cruise.self, to: storage)
          }

          override class var schemaMetadata: [Tandem::Schema.PropertyMetadata] {
            super._$metadata(of: Cruise.self) + [
              Tandem::Schema.PropertyMetadata(name: "ship", keypath: \\Cruise.ship),
              Tandem::Schema.PropertyMetadata(name: "decks", keypath: \\Cruise.decks, defaultValue: 3 as Int)
            ]
          }

          override class var _$uniqueness: [[Swift::AnyKeyPath]] {
            super._$uniqueness + (Tandem::Schema.Unique<Cruise>([\\.ship]).constraints as [[Swift::AnyKeyPath]])
          }
        }
        """)
  }

  @Test func `a subclass that is not final hands the count on`() throws {
    let text = try expansion(
      of: "@Model public class Cruise: Trip {\n  var ship = \"\"\n  init() {}\n}", conformances: [])
    #expect(text.contains("public override class var _$propertyCount: Swift::Int {\n    _$start + 1\n  }"))
    #expect(text.contains("_$metadata<_M: Cruise>(of type: _M.Type) -> [Tandem::Schema.PropertyMetadata] {"))
    #expect(text.contains("{\n    _$metadata(of: Cruise.self)\n  }"))
    #expect(text.contains("    super._$metadata(of: type) + [\n") && text.contains("keypath: \\_M.ship"))
    let empty = try expansion(of: "@Model class Cruise: Trip {\n  init() {}\n}", conformances: [])
    #expect(empty.contains("    super._$metadata(of: Cruise.self)\n") && !empty.contains("_$propertyCount:"))
  }

  @Test func `accessors of a class in a hierarchy name the class`() throws {
    let source = "@Model final class Cruise: Trip {\n  var ship: String\n  init() {}\n}"
    let text = try Expansion(of: source, conformances: []).text
    #expect(text.contains("return storage.get(Cruise._$start + 0)"))
    #expect(text.contains("_$storage.set(Cruise._$start + 0, to: newValue, of: self, \\.ship)"))
    #expect(text.contains("@storageRestrictions(accesses: _$values, initializes: _ship)"))
    #expect(text.contains("_$values.target.initialize(Cruise._$start + 0, to: initialValue)"))
  }

  @Test func `a class that lacks one of the protocols inherits from no model`() throws {
    let source = "@Model final class Trip: Named {\n  var name = \"\"\n  init() {}\n}"
    let named = try expansion(of: source, conformances: ["_RootModel"])
    #expect(named.contains("var _$storage: Tandem::ModelStorage {\n    _$values\n  }"))
    #expect(named.hasSuffix("nonisolated extension Trip: Tandem::_RootModel {\n}"))
    #expect(!named.contains("super"))
  }
}
