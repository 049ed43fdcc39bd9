import MacroExpander
import Testing

/// Each mistake: where it is reported, in which words, and what its fix-its make of the source.
@Suite struct MistakeTests {
  private func mistakes(in source: String) throws -> String { try Expansion(of: source).mistakes }

  private func mistakes(inModel members: String) throws -> String { try Expansion.mistakes(inModel: members) }

  @Test func `a struct is offered to become a class`() throws {
    #expect(
      try mistakes(in: "@Model struct Trip {\n}") == """
        1:8 error: @Model needs a class, and this is a struct: declare a class
          make it a class:
          | @Model final class Trip {
        """)
    #expect(
      try mistakes(in: "@Model public actor Trip {\n}") == """
        1:15 error: @Model needs a class, and this is an actor: declare a class
          make it a class:
          | @Model public final class Trip {
        """)
    #expect(
      try mistakes(in: "@Model enum Trip {\n}") == """
        1:8 error: @Model needs a class, and this is an enum: declare a class
          remove '@Model':
          | enum Trip {
        """)
  }

  @Test func `a generic model loses its parameters`() throws {
    #expect(
      try mistakes(in: "@Model final class Trip<Place> {\n}") == """
        1:24 error: a model cannot be generic, as an entity has one name and one list of fields: remove the parameters
          remove the parameters:
          | @Model final class Trip {
        """)
  }

  @Test func `a class that inherits from a model needs an initialiser of its own`() throws {
    let source = "@Model final class Cruise: Trip, Codable {\n  var ship: String\n}"
    #expect(
      try Expansion(of: source, conformances: []).mistakes == """
        1:20 error: @Model needs an initialiser in 'Cruise': add an 'init'
          add an initialiser:
          |\u{20}
          |   init(ship: String) {
          |     self.ship = ship
          |     super.init(<#arguments#>)
          |   }
        """)
    // Of a superclass that is no model, or of protocols alone, nothing is known.
    #expect(try Expansion(of: source).mistakes == "")
    #expect(try Expansion(of: source, conformances: ["_RootModel"]).mistakes == "")
  }

  @Test func `mistakes in a class that inherits from a model are told as in any other`() throws {
    let source = "@Model class Cruise: Trip {\n  lazy var ship = \"\"\n  init() { super.init() }\n}"
    #expect(
      try Expansion(of: source, conformances: []).mistakes.hasPrefix(
        "2:3 error: 'lazy' property 'ship' cannot be persisted"))
  }

  @Test func `a stored property of a superclass is not stored again`() throws {
    let source = "@Model final class Cruise: Trip {\n  override var name: String { didSet {} }\n  init() {}\n}"
    #expect(
      try Expansion(of: source, conformances: []).mistakes == """
        2:3 error: 'name' is stored by a superclass already: a subclass can override what it computes, not what it \
        stores
          mark it '@Transient':
          |   @Transient override var name: String { didSet {} }
        """)
  }

  @Test func `options that are doubled or contradict each other lose the later one`() throws {
    #expect(
      try mistakes(inModel: "  @Attribute(.unique, .unique) var name: String") == """
        2:23 error: '.unique' is given twice: remove one
          remove '.unique':
          |   @Attribute(.unique) var name: String
        """)
    #expect(
      try mistakes(inModel: "  @Attribute(.ephemeral, .unique(.throw), originalName: \"a\") var name: String") == """
        2:26 error: '.ephemeral' and '.unique' contradict each other: remove one
          remove '.unique(.throw)':
          |   @Attribute(.ephemeral, originalName: "a") var name: String
        """)
    #expect(
      try mistakes(inModel: "  @Attribute(.transformable(by: \"a\"), .codable) var name: String") == """
        2:39 error: '.transformable' and '.codable' contradict each other: remove one
          remove '.codable':
          |   @Attribute(.transformable(by: "a")) var name: String
        """)
    #expect(try mistakes(inModel: "  @Attribute(.unique, .spotlight, .externalStorage) var name: String") == "")
  }

  @Test func `an order needs several objects`() throws {
    #expect(
      try mistakes(inModel: "  @Relationship(.ordered, inverse: \\Stop.trip) var stop: Stop?") == """
        2:17 warning: '.ordered' has no effect on 'stop', which leads to one object at most: remove it
          remove '.ordered':
          |   @Relationship(inverse: \\Stop.trip) var stop: Stop?
        """)
    for type in ["[Stop]", "[Stop]?", "Array<Stop>", "Optional<[Stop]>"] {
      #expect(try mistakes(inModel: "  @Relationship(.ordered) var stops: \(type)") == "")
    }
  }

  @Test func `a model without initialiser is offered one`() throws {
    let source = """
      @Model final class Trip {
        var name: String
        var count: Int = 0
        var tags = [String]()
      }
      """
    #expect(
      try mistakes(in: source) == """
        1:20 error: @Model needs an initialiser in 'Trip': add an 'init'
          add an initialiser:
          | 
          |   init(name: String, count: Int = 0) {
          |     self.name = name
          |     self.count = count
          |   }
        """)
  }

  @Test func `a transient property needs a default`() throws {
    #expect(
      try mistakes(inModel: "  @Transient var isOpen: Bool") == """
        2:18 error: transient property 'isOpen' needs a default: a fetched object has no other value for it
          add a default:
          |   @Transient var isOpen: Bool = <#default#>
        """)
    #expect(
      try mistakes(inModel: "  @Transient let isOpen: Bool?") == """
        2:18 error: transient property 'isOpen' needs a default: a fetched object has no other value for it
          add a default:
          |   @Transient let isOpen: Bool? = <#default#>
        """)
    #expect(try mistakes(inModel: "  @Transient var isOpen: Bool?\n  @Transient var count: Int { 1 }") == "")
  }

  @Test func `a constant is offered to become a variable`() throws {
    #expect(
      try mistakes(inModel: "  let name: String") == """
        2:3 warning: persisted property 'name' must be a 'var', as its value arrives after initialisation: write 'var'
          make it a 'var':
          |   var name: String
        """)
  }

  @Test func `lazy, weak and unowned properties are refused`() throws {
    #expect(
      try mistakes(inModel: "  lazy var name: String = \"\"") == """
        2:3 error: 'lazy' property 'name' cannot be persisted: remove 'lazy', or mark it '@Transient'
          remove 'lazy':
          |   var name: String = ""
          mark it '@Transient':
          |   @Transient lazy var name: String = ""
        """)
    #expect(
      try mistakes(inModel: "  private weak var other: Trip?") == """
        2:11 error: 'weak' property 'other' cannot be persisted: remove 'weak', or mark it '@Transient'
          remove 'weak':
          |   private var other: Trip?
          mark it '@Transient':
          |   @Transient private weak var other: Trip?
        """)
    #expect(
      try mistakes(inModel: "  unowned var other: Trip") == """
        2:3 error: 'unowned' property 'other' cannot be persisted: remove 'unowned', or mark it '@Transient'
          remove 'unowned':
          |   var other: Trip
          mark it '@Transient':
          |   @Transient unowned var other: Trip
        """)
  }

  @Test func `observers that never run are pointed out`() throws {
    #expect(
      try mistakes(inModel: "  var name: String = \"\" {\n    didSet { print(name) }\n  }") == """
        3:5 warning: observers of persisted property 'name' never run, as '@Model' replaces its storage: remove them
          remove the observers:
          |   var name: String = ""
        """)
  }

  @Test func `a wrapped property is refused unless it is transient`() throws {
    #expect(
      try mistakes(inModel: "  @Published var name: String = \"\"") == """
        2:3 error: property 'name' with wrapper '@Published' cannot be persisted: mark it '@Transient'
          mark it '@Transient':
          |   @Transient @Published var name: String = ""
        """)
    #expect(try mistakes(inModel: "  @Transient @Published var name: String") == "")
    #expect(try mistakes(inModel: "  @available(*, deprecated) @MainActor var name: String = \"\"") == "")
  }

  @Test func `a property that is optional twice is offered once`() throws {
    #expect(
      try mistakes(inModel: "  var nights: Int??\n  var days: Optional<Int>?\n  var guide: Optional<Guide>") == """
        2:15 error: 'nights' is optional twice, and the store has one nil: remove a '?'
          make it 'Int?':
          |   var nights: Int?
        3:13 error: 'days' is optional twice, and the store has one nil: remove a '?'
          make it 'Optional<Int>':
          |   var days: Optional<Int>
        """)
  }

  @Test func `several properties in one declaration are offered one by one`() throws {
    #expect(
      try mistakes(inModel: "  var name: String, count: Int = 0") == """
        2:3 error: persisted properties are declared one by one: give each a 'var'
          declare them one by one:
          |   var name: String
          |   var count: Int = 0
        """)
    #expect(
      try mistakes(inModel: "  var (name, count) = (\"\", 0)") == """
        2:7 error: a tuple pattern cannot be persisted: mark it '@Transient'
          mark it '@Transient':
          |   @Transient var (name, count) = ("", 0)
        """)
  }

  @Test func `attributes that contradict each other are pointed out`() throws {
    #expect(
      try mistakes(inModel: "  @Attribute(.unique) @Relationship(inverse: \\Stop.trip) var stop: Stop?") == """
        2:3 error: 'stop' is an attribute or a relationship: remove '@Attribute', as '@Relationship' takes its options
          remove '@Attribute':
          |   @Relationship(inverse: \\Stop.trip) var stop: Stop?
        """)
    #expect(
      try mistakes(inModel: "  @Attribute(.unique) @Transient var name = \"\"") == """
        2:3 error: '@Attribute' has no effect on transient property 'name': remove it
          remove '@Attribute':
          |   @Transient var name = ""
        """)
    #expect(
      try mistakes(inModel: "  @Attribute(.unique) var name: String { \"\" }") == """
        2:3 error: '@Attribute' applies only to stored instance properties: remove it
          remove '@Attribute':
          |   var name: String { "" }
        """)
    #expect(
      try mistakes(inModel: "  @Relationship static var stop: Stop?") == """
        2:3 error: '@Relationship' applies only to stored instance properties: remove it
          remove '@Relationship':
          |   static var stop: Stop?
        """)
    #expect(
      try mistakes(inModel: "  @Attribute(.unique) func name() {}") == """
        2:3 error: '@Attribute' applies only to stored instance properties: remove it
          remove '@Attribute':
          |   func name() {}
        """)
  }

  @Test func `names that the macro uses are refused`() throws {
    #expect(
      try mistakes(inModel: "  var persistentModelID: Int = 0") == """
        2:7 error: a model cannot have a property named 'persistentModelID', a name that '@Model' uses: rename it
          rename it 'persistentModelIDValue':
          |   var persistentModelIDValue: Int = 0
        """)
    #expect(try mistakes(inModel: "  var description: String = \"\"") == "")
  }

  @Test func `a stored property under a condition is refused`() throws {
    #expect(
      try mistakes(inModel: "#if DEBUG\n  var a = 0\n#endif") == """
        3:3 error: a stored property of a model cannot depend on '#if', as the schema would: mark it '@Transient'
          mark it '@Transient':
          |   @Transient var a = 0
        """)
  }

  @Test func `markers outside of models are pointed out`() throws {
    #expect(
      try mistakes(in: "final class Trip {\n  @Attribute(.unique) var name = \"\"\n}") == """
        2:3 error: '@Attribute' belongs to a property of a class with '@Model'
          remove '@Attribute':
          |   var name = ""
        """)
    #expect(
      try mistakes(in: "final class Trip {\n  #Unique<Trip>([\\.a])\n  #Index<Trip>([\\.a])\n}") == """
        2:3 error: '#Unique' belongs into a class with '@Model'
        3:3 error: '#Index' belongs into a class with '@Model'
        """)
    #expect(
      try mistakes(in: "final class Trip {\n  @Transient var name = \"\"\n}") == """
        2:3 error: '@Transient' belongs to a property of a class with '@Model'
          remove '@Transient':
          |   var name = ""
        """)
  }

  @Test func `a property whose type cannot be inferred is offered an annotation`() throws {
    #expect(
      try mistakes(
        inModel: "  var tags = []\n  var start = .now\n  var note\n  var end = Date.now\n  var names = [\"\"]")
          == """
          2:7 error: persisted property 'tags' needs a type: the compiler infers none from what is written
            add a type:
            |   var tags: <#type#> = []
          3:7 error: persisted property 'start' needs a type: the compiler infers none from what is written
            add a type:
            |   var start: <#type#> = .now
          4:7 error: persisted property 'note' needs a type: the compiler infers none from what is written
            add a type:
            |   var note: <#type#>
          """)
  }

  @Test func `functions, tuples and existentials are refused unless they are coded`() throws {
    #expect(
      try mistakes(inModel: "  var open: (@Sendable () -> Void)?\n  var pair: (Int, Int)\n  var value: Any = 1") == """
        2:13 error: 'open' has a function type, which the store cannot keep: mark it '@Transient'
          mark it '@Transient':
          |   @Transient var open: (@Sendable () -> Void)?
        3:13 error: 'pair' has a tuple type, which the store cannot keep: mark it '@Transient'
          mark it '@Transient':
          |   @Transient var pair: (Int, Int)
        4:14 error: 'value' has an existential type, which the store cannot keep: mark it '@Transient'
          mark it '@Transient':
          |   @Transient var value: Any = 1
        """)
    #expect(
      try mistakes(inModel: "  @Attribute(.transformable(by: A.self)) var pair: (Int, Int)\n  var a: (Int)") == "")
  }

  @Test func `a model is no local type`() throws {
    for source in [
      "func make() {\n  @Model final class Trip { init() {} }\n}", "let make = {\n  @Model class Trip { init() {} }\n}",
    ] {
      let expansion = try Expansion(of: source)
      #expect(
        expansion.mistakes.hasSuffix(
          "error: a model cannot be declared in a function: move it to the file or into a type"))
      #expect(!expansion.text.contains("_$storage"))
    }
    #expect(try mistakes(in: "enum Version {\n  @Model final class Trip { init() {} }\n}") == "")
  }

  @Test func `a model actor is an actor`() throws {
    #expect(
      try mistakes(in: "@ModelActor final class Worker {\n}") == """
        1:19 error: @ModelActor needs an actor, whose executor it provides: write 'actor'
          make it an actor:
          | @ModelActor actor Worker {
        """)
    #expect(
      try mistakes(in: "@ModelActor struct Worker {\n}") == """
        1:13 error: @ModelActor needs an actor, whose executor it provides: write 'actor'
          remove '@ModelActor':
          | struct Worker {
        """)
  }

  /// Of a node of another tree, such as that of a filtered list, the compiler would say neither line nor column.
  @Test func `each mistake is placed in the tree that the compiler handed over`() throws {
    let problems = try Expansion.Problems(
      of: """
        @Model final class Trip {
          #Unique<Stop>([\\.first])
          #Unique<Trip>([\\.second, \\.double], \\.third)
          @Transient @Attribute var first: Int
          @Transient var second, third: Int
          let fourth: Int
          lazy var fifth = 1
          @Wrapped var sixth = 1
          var seventh = 1, eighth = 2
          var (ninth, tenth) = (1, 2)
          var open: () -> Void
          var tags = []
          var twice: Int?? { didSet {} }
          var hashValue: Int
          @Attribute(.unique, .unique, originalName: "a") @Relationship var both: Int
          @Attribute(originalName: "a") var renamed: Int
          @Relationship(.ordered, inverse: \\.trip) var stop: Stop?
          var double: Int { 2 }
          #if DEBUG
          var conditional: Int
          #endif
        }
        """)
    #expect(problems.count == 28)
    #expect(problems.strays == [])
  }
}
