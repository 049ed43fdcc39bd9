import RecordStore
import TestSupport
import Testing

/// Both sides of a relationship tell the same, whichever side was written.
struct InverseRuleTests {
  private static let start =
    "insert Trip 1 name=a; insert Trip 2 name=b; insert Stop 3 trip=#1; insert Stop 4 trip=#1 position=1; "
    + "insert City 5 name=c"

  /// The records of `start`, with more words behind some of them.
  private static func records(_ more: [String: String]) -> [String] {
    ["Trip 1 name=a stops=#3,#4", "Trip 2 name=b", "Stop 3 trip=#1", "Stop 4 position=1 trip=#1", "City 5 name=c"].map {
      line in
      let name = line.split(separator: " ").prefix(2).joined(separator: " ")
      return more[name].map { "\(line) \($0)" } ?? line
    }
  }

  static let oneToMany: [RuleCase] = [
    RuleCase("set", [start, "update Stop 3 city=#5"], shows: records(["Stop 3": "city=#5", "City 5": "stops=#3"])),
    RuleCase(
      "set by two", [start, "update Stop 4 city=#5; update Stop 3 city=#5"],
      shows: records(["Stop 3": "city=#5", "Stop 4": "city=#5", "City 5": "stops=#3,#4"])),
    RuleCase("taken away", [start, "update Stop 3 city=#5", "update Stop 3 city=nil"], shows: records([:])),
    RuleCase(
      "set and taken away at once", [start, "update Stop 3 city=#5; update Stop 3 city=nil"], shows: records([:])),
    RuleCase(
      "taken away and set at once", [start, "update Stop 3 city=nil; update Stop 3 city=#5"],
      shows: records(["Stop 3": "city=#5", "City 5": "stops=#3"])),
    RuleCase("to itself", [start, "update Stop 3 next=#3"], shows: records(["Stop 3": "next=#3 previous=#3"])),
    RuleCase(
      "in a circle", [start, "update Stop 3 next=#4; update Stop 4 next=#3"],
      shows: records(["Stop 3": "next=#4 previous=#4", "Stop 4": "next=#3 previous=#3"])),
    RuleCase(
      "its target goes", [start, "update Stop 3 next=#4", "delete Stop 4"],
      shows: ["Trip 1 name=a stops=#3", "Trip 2 name=b", "Stop 3 trip=#1", "City 5 name=c"]),
    RuleCase(
      "its target comes back", [start, "update Stop 3 next=#4", "delete Stop 4", "insert Stop 4 trip=#1 position=1"],
      shows: records(["Stop 3": "next=#4", "Stop 4": "previous=#3"])),
    RuleCase(
      "its target comes back after nil was written",
      [start, "update Stop 3 next=#4", "update Stop 3 next=nil; delete Stop 4", "insert Stop 4 trip=#1 position=1"],
      shows: records([:])),
    RuleCase(
      "nil behind the delete says what is read already, and is no write",
      [start, "update Stop 3 next=#4", "delete Stop 4; update Stop 3 next=nil", "insert Stop 4 trip=#1 position=1"],
      shows: records(["Stop 3": "next=#4", "Stop 4": "previous=#3"])),
    RuleCase(
      "its target comes later", [start, "update Stop 3 next=#9", "insert Stop 9 trip=#2"],
      shows: [
        "Trip 1 name=a stops=#3,#4", "Trip 2 name=b stops=#9", "Stop 3 trip=#1 next=#9", "Stop 4 position=1 trip=#1",
        "Stop 9 trip=#2 previous=#3", "City 5 name=c",
      ]),
    RuleCase("a target that never comes", [start, "update Stop 3 next=#9"], shows: records([:])),
  ]

  @Test(arguments: oneToMany) func `a list has the records that refer to its owner`(row: RuleCase) throws {
    try row.run()
  }

  private static let passes = "insert Trip 1 name=a; insert Trip 2 name=b; insert Pass 3 trip=#1; insert Pass 4"

  static let oneToOne: [RuleCase] = [
    RuleCase("set", [passes], shows: ["Trip 1 name=a pass=#3", "Trip 2 name=b", "Pass 3 trip=#1", "Pass 4"]),
    RuleCase(
      "taken from another", [passes, "update Pass 4 trip=#1"],
      shows: ["Trip 1 name=a pass=#4", "Trip 2 name=b", "Pass 3", "Pass 4 trip=#1"]),
    RuleCase(
      "exchanged", [passes, "update Pass 4 trip=#2", "update Pass 3 trip=#2; update Pass 4 trip=#1"],
      shows: ["Trip 1 name=a pass=#4", "Trip 2 name=b pass=#3", "Pass 3 trip=#2", "Pass 4 trip=#1"]),
    RuleCase(
      "taken, and given up", [passes, "update Pass 4 trip=#1", "update Pass 4 trip=nil"],
      shows: ["Trip 1 name=a", "Trip 2 name=b", "Pass 3", "Pass 4"]),
    RuleCase(
      "moved", [passes, "update Pass 3 trip=#2"],
      shows: ["Trip 1 name=a", "Trip 2 name=b pass=#3", "Pass 3 trip=#2", "Pass 4"]),
    RuleCase("its holder goes", [passes, "delete Pass 3"], shows: ["Trip 1 name=a", "Trip 2 name=b", "Pass 4"]),
    RuleCase("its target goes, which takes it along", [passes, "delete Trip 1"], shows: ["Trip 2 name=b", "Pass 4"]),
  ]

  @Test(arguments: oneToOne) func `a target of a one-to-one has one holder`(row: RuleCase) throws {
    try row.run()
  }

  private static let tags = "insert Trip 1 name=a; insert Trip 2 name=b; insert Tag 3 name=x; insert Tag 4 name=y"
  private static func linked(_ one: String, _ two: String, _ three: String, _ four: String) -> [String] {
    func line(_ record: String, _ list: String, _ others: String) -> String {
      others.isEmpty ? record : "\(record) \(list)=\(others)"
    }
    return [
      line("Trip 1 name=a", "tags", one), line("Trip 2 name=b", "tags", two), line("Tag 3 name=x", "trips", three),
      line("Tag 4 name=y", "trips", four),
    ]
  }

  static let manyToMany: [RuleCase] = [
    RuleCase("linked from one side", [tags, "link Trip 1 tags 3"], shows: linked("#3", "", "#1", "")),
    RuleCase("linked from the other side", [tags, "link Tag 3 trips 1"], shows: linked("#3", "", "#1", "")),
    RuleCase(
      "linked from both sides at once", [tags, "link Tag 3 trips 1; link Trip 1 tags 3"],
      shows: linked("#3", "", "#1", "")),
    RuleCase("linked twice", [tags, "link Trip 1 tags 3", "link Trip 1 tags 3"], shows: linked("#3", "", "#1", "")),
    RuleCase(
      "all with all", [tags, "link Trip 1 tags 4; link Trip 1 tags 3; link Trip 2 tags 3; link Tag 4 trips 2"],
      shows: linked("#3,#4", "#3,#4", "#1,#2", "#1,#2")),
    RuleCase(
      "unlinked from the other side", [tags, "link Trip 1 tags 3", "unlink Tag 3 trips 1"],
      shows: linked("", "", "", "")),
    RuleCase("unlinked what is not linked", [tags, "unlink Trip 1 tags 3"], shows: linked("", "", "", "")),
    RuleCase(
      "linked and unlinked at once", [tags, "link Trip 1 tags 3; unlink Trip 1 tags 3"], shows: linked("", "", "", "")),
    RuleCase(
      "unlinked and linked at once", [tags, "link Trip 1 tags 3", "unlink Trip 1 tags 3; link Trip 1 tags 3"],
      shows: linked("#3", "", "#1", "")),
    RuleCase(
      "linked again", [tags, "link Trip 1 tags 3", "unlink Trip 1 tags 3", "link Trip 1 tags 3"],
      shows: linked("#3", "", "#1", "")),
    RuleCase(
      "one side goes", [tags, "link Trip 1 tags 3; link Trip 2 tags 3", "delete Trip 1"],
      shows: ["Trip 2 name=b tags=#3", "Tag 3 name=x trips=#2", "Tag 4 name=y"]),
    RuleCase("to a record that never was", [tags, "link Trip 1 tags 9"], refuses: .recordNotFound),
    RuleCase("to a deleted record", [tags, "delete Tag 3", "link Trip 1 tags 3"], refuses: .recordNotFound),
    RuleCase("over a to-many that is no many-to-many", [start, "link Trip 2 stops 3"], refuses: .invalidRequest),
    RuleCase("over a to-one", [start, "link Stop 3 city 5"], refuses: .invalidRequest),
  ]

  @Test(arguments: manyToMany) func `a link is there once, and seen from both sides`(row: RuleCase) throws {
    try row.run()
  }
}
