import MacroExpander
import Testing

@Suite struct ModelExpansionTests {
  @Test func `a model gets numbered storage, and its default stands only where an object is made`() throws {
    let source = """
      @Model
      final class Trip {
        @Attribute(.unique) var name: String
        var start: Date = .now
        @Relationship(deleteRule: .cascade, inverse: \\Stop.trip) var stops: [Stop] = []
        @Transient var isOpen = false
        init(name: String) { self.name = name }
      }
      """
    #expect(
      try Expansion(of: source).text == """

        final class Trip {
          var name: String {
            get {
              let storage = _$storage
              storage.access(self, \\.name)
              return storage.get(0)
            }
            set {
              _$storage.set(0, to: newValue, of: self, \\.name)
            }
            @storageRestrictions(accesses: _$storage, initializes: _name)
            init(initialValue) {
              _$storage.initialize(0, to: initialValue)
              _name = Tandem::_NoStorage()
            }
          }

          private var _name: Tandem::_NoStorage

          var start: Date {
            get {
              let storage = _$storage
              storage.access(self, \\.start)
              return storage.get(1)
            }
            set {
              _$storage.set(1, to: newValue, of: self, \\.start)
            }
            @storageRestrictions(accesses: _$storage, initializes: _$defaults)
            init(initialValue) {
              _$storage.initialize(1, to: initialValue)
              _$defaults = ()
            }
          }
          var stops: [Stop] {
            get {
              let storage = _$storage
              storage.access(self, \\.stops)
              return storage.get(2)
            }
            set {
              _$storage.set(2, to: newValue, of: self, \\.stops)
            }
            @storageRestrictions(accesses: _$storage, initializes: _$defaults)
            init(initialValue) {
              _$storage.initialize(2, to: initialValue)
              _$defaults = ()
            }
          }
          var isOpen = false
          init(name: String) { self.name = name }

          private var _$defaults: ()

          private(set) var _$storage: Tandem::ModelStorage = Trip._$initialStorage()

          private static func _$initialStorage() -> Tandem::ModelStorage {
            Tandem::ModelStorage.initial(for: Trip.self) { storage in
              storage.initialize(1, to: .now as Date)
              storage.initialize(2, to: [] as [Stop])
            }
          }

          required init(backingData: any Tandem::BackingData<Trip>) {
            _name = Tandem::_NoStorage()
            if !Tandem::ModelStorage.isAdopted(Swift::ObjectIdentifier(_$storage)) {
              _$storage = Tandem::ModelStorage.adopting(backingData)
            }
          }

          var persistentBackingData: any Tandem::BackingData<Trip> {
            get {
              _$storage.backingData(of: self)
            }
            set {
              _$storage = Tandem::ModelStorage.adopting(newValue)
            }
          }

          static var schemaMetadata: [Tandem::Schema.PropertyMetadata] {
            [
              Tandem::Schema.PropertyMetadata(name: "name", keypath: \\Trip.name,
                metadata: Tandem::Schema.Attribute(.unique)),
              Tandem::Schema.PropertyMetadata(name: "start", keypath: \\Trip.start, defaultValue: .now as Date),
              Tandem::Schema.PropertyMetadata(name: "stops", keypath: \\Trip.stops, defaultValue: [] as [Stop],
                metadata: Tandem::Schema.Relationship(deleteRule: .cascade, inverse: \\Stop.trip))
            ]
          }
        }

        nonisolated extension Trip: Tandem::PersistentModel, Tandem::_RootModel {
        }
        """)
  }

  @Test func `members are as public as the class`() throws {
    let source = """
      @Model public final class Trip {
        public var name: String
        init(name: String) { self.name = name }
      }
      """
    let text = try Expansion(of: source, leaving: ["_PersistedProperty", "_PersistedDefault", "_PersistedInitializer"])
      .text
    for member in [
      "public private(set) var _$storage", "public required init(backingData:", "public var persistentBackingData",
      "public static var schemaMetadata",
    ] {
      #expect(text.contains("\n  \(member)"), "\(text)")
    }
  }

  @Test func `types and defaults are taken as the compiler infers them`() throws {
    let source = """
      @Model final class Trip {
        var count = 0
        var tags = [String]()
        var end: Date?
        var `default`: Int! = 1
        private(set) var detail: String = ""
        var computed: Int { count + 1 }
        static let shared = 1
        init() {}
      }
      """
    #expect(
      try Expansion(of: source, leaving: ["_PersistedProperty", "_PersistedDefault", "_PersistedInitializer"]).text
        == """
        final class Trip {
          @_PersistedDefault(0) @_PersistedInitializer(0)
          var count = 0
          @_PersistedDefault(1) @_PersistedInitializer(1)
          var tags = [String]()
          @_PersistedDefault(2) @_PersistedInitializer(2)
          var end: Date?
          @_PersistedDefault(3) @_PersistedInitializer(3)
          var `default`: Int! = 1
          @_PersistedDefault(4) @_PersistedInitializer(4)
          private(set) var detail: String = ""
          var computed: Int { count + 1 }
          static let shared = 1
          init() {}

          private var _$defaults: ()

          private(set) var _$storage: Tandem::ModelStorage = Trip._$initialStorage()

          private static func _$initialStorage() -> Tandem::ModelStorage {
            Tandem::ModelStorage.initial(for: Trip.self) { storage in
              let _default0 = 0
              storage.initialize(0, to: _default0)
              let _default1 = [String]()
              storage.initialize(1, to: _default1)
              storage.initialize(3, to: 1 as Int?)
              storage.initialize(4, to: "" as String)
            }
          }

          required init(backingData: any Tandem::BackingData<Trip>) {
            if !Tandem::ModelStorage.isAdopted(Swift::ObjectIdentifier(_$storage)) {
              _$storage = Tandem::ModelStorage.adopting(backingData)
            }
          }

          var persistentBackingData: any Tandem::BackingData<Trip> {
            get {
              _$storage.backingData(of: self)
            }
            set {
              _$storage = Tandem::ModelStorage.adopting(newValue)
            }
          }

          static var schemaMetadata: [Tandem::Schema.PropertyMetadata] {
            [
              Tandem::Schema.PropertyMetadata(name: "count", keypath: \\Trip.count, defaultValue: 0),
              Tandem::Schema.PropertyMetadata(name: "tags", keypath: \\Trip.tags, defaultValue: [String]()),
              Tandem::Schema.PropertyMetadata(name: "end", keypath: \\Trip.end),
              Tandem::Schema.PropertyMetadata(name: "default", keypath: \\Trip.`default`, defaultValue: 1 as Int?),
              Tandem::Schema.PropertyMetadata(name: "detail", keypath: \\Trip.detail, defaultValue: "" as String)
            ]
          }
        }

        nonisolated extension Trip: Tandem::PersistentModel, Tandem::_RootModel {
        }
        """)
  }

  @Test func `unique constraints and indexes become members of the model`() throws {
    let source = """
      @Model final class Trip {
        #Unique<Trip>([\\.name], [\\.place, \\.start])
        #Index<Trip>([\\.start])
        #Index<Trip>(.binary([\\.place]), .binary([\\.place, \\.start]))
        init() {}
      }
      """
    #expect(
      try Expansion(of: source).text == """
        final class Trip {
          init() {}

          private(set) var _$storage: Tandem::ModelStorage = Trip._$initialStorage()

          private static func _$initialStorage() -> Tandem::ModelStorage {
            Tandem::ModelStorage.initial(for: Trip.self)
          }

          required init(backingData: any Tandem::BackingData<Trip>) {
            if !Tandem::ModelStorage.isAdopted(Swift::ObjectIdentifier(_$storage)) {
              _$storage = Tandem::ModelStorage.adopting(backingData)
            }
          }

          var persistentBackingData: any Tandem::BackingData<Trip> {
            get {
              _$storage.backingData(of: self)
            }
            set {
              _$storage = Tandem::ModelStorage.adopting(newValue)
            }
          }

          static var schemaMetadata: [Tandem::Schema.PropertyMetadata] {
            []
          }

          static var _$uniqueness: [[Swift::AnyKeyPath]] {
            Tandem::Schema.Unique<Trip>([\\.name], [\\.place, \\.start]).constraints
          }

          static var _$index: [[Swift::AnyKeyPath]] {
            Tandem::Schema.Index<Trip>(.binary([\\.start]), .binary([\\.place]), .binary([\\.place, \\.start])).keyPaths
          }
        }

        nonisolated extension Trip: Tandem::PersistentModel, Tandem::_RootModel {
        }
        """)
  }

  @Test func `each group becomes a list of the model's properties that move together`() throws {
    let source = """
      @Model public final class Trip {
        #Group<Trip>(\\.place, \\.start)
        #Group<Trip>(\\.price, \\.currency, \\.rate)
        init() {}
      }
      """
    #expect(
      try Expansion(of: source).text.contains(
        """

          public static var _$groups: [[Swift::AnyKeyPath]] {
            [Tandem::Schema.Group<Trip>(\\.place, \\.start).properties, \
        Tandem::Schema.Group<Trip>(\\.price, \\.currency, \\.rate).properties]
          }
        }
        """))
  }

  @Test func `a constant is expanded like a variable, for the compiler to judge`() throws {
    let source = """
      @Model final class Trip {
        let id: UUID
        init(id: UUID) { self.id = id }
      }
      """
    #expect(
      try Expansion(of: source).text == """
        final class Trip {
          let id: UUID {
            get {
              let storage = _$storage
              storage.access(self, \\.id)
              return storage.get(0)
            }
            set {
              _$storage.set(0, to: newValue, of: self, \\.id)
            }
            @storageRestrictions(accesses: _$storage, initializes: _id)
            init(initialValue) {
              _$storage.initialize(0, to: initialValue)
              _id = Tandem::_NoStorage()
            }
          }

          private var _id: Tandem::_NoStorage
          init(id: UUID) { self.id = id }

          private(set) var _$storage: Tandem::ModelStorage = Trip._$initialStorage()

          private static func _$initialStorage() -> Tandem::ModelStorage {
            Tandem::ModelStorage.initial(for: Trip.self)
          }

          required init(backingData: any Tandem::BackingData<Trip>) {
            _id = Tandem::_NoStorage()
            if !Tandem::ModelStorage.isAdopted(Swift::ObjectIdentifier(_$storage)) {
              _$storage = Tandem::ModelStorage.adopting(backingData)
            }
          }

          var persistentBackingData: any Tandem::BackingData<Trip> {
            get {
              _$storage.backingData(of: self)
            }
            set {
              _$storage = Tandem::ModelStorage.adopting(newValue)
            }
          }

          static var schemaMetadata: [Tandem::Schema.PropertyMetadata] {
            [
              Tandem::Schema.PropertyMetadata(name: "id", keypath: \\Trip.id)
            ]
          }
        }

        nonisolated extension Trip: Tandem::PersistentModel, Tandem::_RootModel {
        }
        """)
  }

  @Test func `a coded attribute is read and written by functions of its own`() throws {
    let source = """
      @Model
      final class Trip {
        @Attribute(.unique, .codable) var home: URL = .root
        @Attribute(.transformable(by: Paint.self), originalName: "x") var paint = Paint.red
        init() {}
      }
      """
    let calls = try Expansion(of: source).text.split(separator: "\n").filter { $0.contains("Coded(") }
    #expect(
      calls.joined(separator: "\n") == """
              return storage.getCoded(0)
              _$storage.setCoded(0, to: newValue, of: self, \\.home)
              _$storage.initializeCoded(0, to: initialValue)
              return storage.getCoded(1)
              _$storage.setCoded(1, to: newValue, of: self, \\.paint)
              _$storage.initializeCoded(1, to: initialValue)
              storage.initializeCoded(0, to: .root as URL)
              storage.initializeCoded(1, to: _default1)
        """)
  }

  @Test func `a model actor gets its executor and its initialiser`() throws {
    let source = """
      @ModelActor
      public actor Importer {
      }
      """
    #expect(
      try Expansion(of: source).text == """

        public actor Importer {

          public nonisolated let modelExecutor: any Tandem::ModelExecutor

          public nonisolated let modelContainer: Tandem::ModelContainer

          public init(modelContainer: Tandem::ModelContainer) {
            let modelContext = Tandem::ModelContext(modelContainer)
            self.modelExecutor = Tandem::DefaultSerialModelExecutor(modelContext: modelContext)
            self.modelContainer = modelContainer
          }
        }

        extension Importer: Tandem::ModelActor {
        }
        """)
  }

  @Test func `a class that says itself when objects are equal is taken at its word`() throws {
    let text = try Expansion(
      of: """
        @Model public final class Trip {
          public init() {}
          public static func == (left: Trip, right: Trip) -> Bool { true }
        }
        """
    ).text
    #expect(
      text.hasSuffix(
        """
        nonisolated extension Trip: Tandem::PersistentModel, Tandem::_RootModel {
          @_implements(Swift::Equatable, ==(_:_:))
          public static func _$isEqual(_ left: Trip, _ right: Trip) -> Swift::Bool {
            left == right
          }
        }
        """))
  }

  @Test func `a name that is none without backticks keeps them, also behind a mark`() throws {
    let source = """
      @Model
      final class `two words` {
        var `some text`: String
        var `class`: Int
        init(text: String, number: Int) { (`some text`, `class`) = (text, number) }
      }
      """
    let text = try Expansion(of: source).text
    #expect(text.contains("private var `_some text`: Tandem::_NoStorage"), "\(text)")
    #expect(text.contains("initializes: `_some text`)") && text.contains("`_some text` = Tandem::_NoStorage()"))
    #expect(text.contains("private var _class: Tandem::_NoStorage"))
    #expect(text.contains(#"PropertyMetadata(name: "some text", keypath: \`two words`.`some text`)"#))
  }
}
