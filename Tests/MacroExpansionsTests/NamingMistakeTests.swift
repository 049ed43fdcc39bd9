import MacroExpander
import Testing

/// How models name their properties wrongly, in relationships, `#Unique`, `#Index` and `#Group`.
@Suite struct NamingMistakeTests {
  private func mistakes(inModel members: String) throws -> String { try Expansion.mistakes(inModel: members) }

  @Test func `a relationship to values loses the attribute`() throws {
    #expect(
      try mistakes(inModel: "  @Relationship(deleteRule: .cascade) var names: [String] = []") == """
        2:3 warning: no container opens with '@Relationship' on 'names', as 'String' is no model: remove it
          remove '@Relationship':
          |   var names: [String] = []
        """)
    #expect(try mistakes(inModel: "  @Relationship var stops: [Stop] = []\n  @Relationship var place: Place?") == "")
  }

  @Test func `an inverse without a class gets that of the property`() throws {
    #expect(
      try mistakes(inModel: "  @Relationship(inverse: \\.trip) var stops: [Stop]? = []") == """
        2:26 error: the inverse of 'stops' needs its class, as in '\\Stop.trip'
          name the class:
          |   @Relationship(inverse: \\Stop.trip) var stops: [Stop]? = []
        """)
    // Its own error is all that the compiler has to say: the expansion leaves the inverse out.
    let text = try Expansion(of: "@Model final class Trip {\n  @Relationship(inverse: \\.trip) var stops: [Stop]\n}")
      .text
    #expect(!text.contains("inverse"))
  }

  @Test func `key paths of an index stand in brackets`() throws {
    #expect(
      try mistakes(inModel: "  var a = 0\n  #Index<Trip>(\\.a)\n  #Unique<Trip>(\\.a, [\\.b])\n  var b = 0") == """
        3:16 error: '#Index' takes lists of key paths: put this one in brackets
          put it in brackets:
          |   #Index<Trip>([\\.a])
        4:17 error: '#Unique' takes lists of key paths: put this one in brackets
          put it in brackets:
          |   #Unique<Trip>([\\.a], [\\.b])
        """)
    let text = try Expansion(of: "@Model final class Trip {\n  #Index<Trip>(\\.a)\n  var a = 0\n}").text
    #expect(!text.contains("_$index"))
  }

  @Test func `key paths lead from the class itself`() throws {
    #expect(
      try mistakes(inModel: "  var a = 0\n  #Unique<Stop>([\\.a])\n  #Index<Trip>([\\.a, \\Stop.b])") == """
        3:11 warning: '#Unique' in 'Trip' names properties of 'Trip': move it to 'Stop', or name this class
          make it 'Trip':
          |   #Unique<Trip>([\\.a])
        4:23 warning: '#Index' in 'Trip' names properties of 'Trip': move it to 'Stop', or name this class
          make it 'Trip':
          |   #Index<Trip>([\\.a, \\Trip.b])
        """)
    #expect(try mistakes(inModel: "  #Unique<Schema.Trip>([\\.a, \\Trip.b])\n  var a = 0\n  var b = 0") == "")
  }

  @Test func `a property without a field is neither unique nor indexed`() throws {
    let computed = "  var double: Int { a * 2 }\n  var a = 0\n  @Transient var isOpen = false\n"
    #expect(
      try mistakes(inModel: computed + "  #Index<Trip>([\\.double])\n  #Unique<Trip>([\\.a, \\.isOpen])") == """
        5:19 error: '#Index' names stored properties, and 'double' has no field: name what it is computed from
        6:25 error: '#Unique' names stored properties, and 'isOpen' has no field: name what it is computed from
          remove '\\.isOpen':
          |   #Unique<Trip>([\\.a])
        """)
    #expect(
      try mistakes(inModel: computed + "  #Index<Trip>(.binary([\\.double, \\.a]))") == """
        5:27 error: '#Index' names stored properties, and 'double' has no field: name what it is computed from
          remove '\\.double':
          |   #Index<Trip>(.binary([\\.a]))
        """)
    #expect(
      try mistakes(inModel: computed + "  #Group<Trip>(\\.double, \\.a)") == """
        5:18 error: '#Group' names stored properties, and 'double' has no field: name what it is computed from
        """)
  }

  @Test func `uniqueness is declared once`() throws {
    #expect(
      try mistakes(inModel: "  var a = 0\n  #Unique<Trip>([\\.a])\n  #Unique<Trip>([\\.b], [\\.a, \\.b])\n  var b = 0")
        == """
        4:3 error: '#Unique' stands once in a model and takes several constraints: merge them
          merge the constraints:
          |   #Unique<Trip>([\\.a], [\\.b], [\\.a, \\.b])
        """)
  }

  @Test func `a group binds two properties or more`() throws {
    #expect(
      try mistakes(inModel: "  var a = 0\n  #Group<Trip>(\\.a)") == """
        3:3 error: '#Group' needs two properties or more: a single one moves alone
        """)
    #expect(
      try Expansion(of: "final class Trip {\n  #Group<Trip>(\\.a, \\.b)\n}").mistakes == """
        2:3 error: '#Group' belongs into a class with '@Model'
        """)
  }

  @Test func `an original name is given once`() throws {
    #expect(
      try mistakes(
        inModel: """
            @Attribute(originalName: "title") var name = ""
            @Attribute(.unique, originalName: "title") var label = ""
          """) == """
          3:37 warning: 'title' is the original name of another property, which gets the values: remove it here
            remove 'originalName: "title"':
            |   @Attribute(.unique) var label = ""
          """)
  }
}
