import RecordStore
import TestSupport
import Testing

/// How many records a relationship leads to.
struct CountRuleTests {
  /// A team has one to two players; a course has at most two students, and a student at least one course.
  private static let schema = StoreSchema(entities: [
    EntityDefinition(
      name: "Team", attributes: [AttributeDefinition(name: "name", type: .string)],
      relationships: [
        RelationshipDefinition(
          name: "players", destination: "Player", isToMany: true, inverse: "team", minimumCount: 1, maximumCount: 2)
      ]),
    EntityDefinition(
      name: "Player", attributes: [AttributeDefinition(name: "name", type: .string)],
      relationships: [RelationshipDefinition(name: "team", destination: "Team", inverse: "players")]),
    EntityDefinition(
      name: "Course", attributes: [AttributeDefinition(name: "name", type: .string)],
      relationships: [
        RelationshipDefinition(
          name: "students", destination: "Student", isToMany: true, inverse: "courses", maximumCount: 2)
      ]),
    EntityDefinition(
      name: "Student", attributes: [AttributeDefinition(name: "name", type: .string)],
      relationships: [
        RelationshipDefinition(
          name: "courses", destination: "Course", isToMany: true, inverse: "students", minimumCount: 1)
      ]),
  ])

  private static let team = "insert Team 1; insert Player 3 team=#1"
  private static let two = "insert Team 1; insert Team 2; insert Player 3 team=#1; insert Player 4 team=#2"

  static let lists: [RuleCase] = [
    RuleCase("none", ["insert Team 1"], refuses: .countViolation),
    RuleCase("the least number", [team], shows: ["Team 1 players=#3", "Player 3 team=#1"]),
    RuleCase(
      "in any order of changes", ["insert Player 3 team=#1; insert Team 1"],
      shows: ["Team 1 players=#3", "Player 3 team=#1"]),
    RuleCase(
      "the greatest number", [team, "insert Player 4 team=#1"],
      shows: ["Team 1 players=#3,#4", "Player 3 team=#1", "Player 4 team=#1"]),
    RuleCase("one too many", [team, "insert Player 4 team=#1", "insert Player 5 team=#1"], refuses: .countViolation),
    RuleCase(
      "one too many at once",
      ["insert Team 1; insert Player 3 team=#1; insert Player 4 team=#1; insert Player 5 team=#1"],
      refuses: .countViolation),
    RuleCase(
      "one comes and one goes", [team, "insert Player 4 team=#1", "insert Player 5 team=#1; delete Player 3"],
      shows: ["Team 1 players=#4,#5", "Player 4 team=#1", "Player 5 team=#1"]),
    RuleCase("the last one leaves", [team, "update Player 3 team=nil"], refuses: .countViolation),
    RuleCase("the last one is deleted", [team, "delete Player 3"], refuses: .countViolation),
    RuleCase(
      "the last one is replaced", [team, "delete Player 3; insert Player 4 team=#1"],
      shows: ["Team 1 players=#4", "Player 4 team=#1"]),
    RuleCase("the last one moves to another", [two, "update Player 3 team=#2"], refuses: .countViolation),
    RuleCase(
      "two change places", [two, "update Player 3 team=#2; update Player 4 team=#1"],
      shows: ["Team 1 players=#4", "Team 2 players=#3", "Player 3 team=#2", "Player 4 team=#1"]),
    RuleCase("the owner goes", [team, "delete Team 1"], shows: ["Player 3"]),
    RuleCase("all go", [team, "delete Player 3; delete Team 1"], shows: []),
    RuleCase(
      "nothing to do with it", [team, "update Player 3 name=x"],
      shows: ["Team 1 players=#3", "Player 3 name=x team=#1"]),
    RuleCase("no owner", ["insert Player 3"], shows: ["Player 3"]),
  ]

  @Test(arguments: lists) func `a list is within its bounds at the end of a save`(row: RuleCase) throws {
    try row.run(schema: Self.schema)
  }

  private static let course = "insert Course 1; insert Student 3; link Student 3 courses 1"

  static let links: [RuleCase] = [
    RuleCase("a student without a course", ["insert Student 3"], refuses: .countViolation),
    RuleCase("with one", [course], shows: ["Course 1 students=#3", "Student 3 courses=#1"]),
    RuleCase(
      "one too many",
      [course, "insert Student 4; link Course 1 students 4", "insert Student 5; link Course 1 students 5"],
      refuses: .countViolation),
    RuleCase("the last link goes", [course, "unlink Course 1 students 3"], refuses: .countViolation),
    RuleCase(
      "the last link is replaced", [course, "insert Course 2; unlink Course 1 students 3; link Course 2 students 3"],
      shows: ["Course 1", "Course 2 students=#3", "Student 3 courses=#2"]),
    RuleCase("the last linked record goes", [course, "delete Course 1"], refuses: .countViolation),
    RuleCase("both go", [course, "delete Course 1; delete Student 3"], shows: []),
  ]

  @Test(arguments: links) func `links are within the bounds of both sides at the end of a save`(row: RuleCase) throws {
    try row.run(schema: Self.schema)
  }

  static let merges: [MergeCase] = [
    MergeCase(
      "two devices fill a team", before: [team], ["A: insert Player 4 team=#1", "B: insert Player 5 team=#1"],
      shows: ["Team 1 players=#3,#4,#5", "Player 3 team=#1", "Player 4 team=#1", "Player 5 team=#1"]),
    MergeCase(
      "two devices empty it", before: [team, "insert Player 4 team=#1"],
      ["A: delete Player 3", "B: update Player 4 team=nil"], shows: ["Team 1", "Player 4"]),
  ]

  @Test(arguments: merges) func `no merge is refused for a number, and all devices count alike`(row: MergeCase) throws {
    try row.run(schema: Self.schema)
  }
}
