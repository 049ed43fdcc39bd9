import RecordStore
import TestSupport
import Testing

/// Deletes beside other changes of the same save: what a rule takes along, lets go or forbids is judged at its end.
struct DeleteCaseTests {
  private static let trips = "insert Trip 1 name=a; insert Trip 2 name=b; insert City 5 name=c"
  private static let stops = "insert Stop 3 trip=#1 city=#5; insert Stop 4 trip=#1 position=1 next=#3"

  static let denied: [RuleCase] = [
    RuleCase("while one refers to it", [trips, stops, "delete City 5"], refuses: .deleteDenied),
    RuleCase(
      "among other changes", [trips, stops, "update Trip 1 rating=5; delete City 5; insert Tag 9 name=x"],
      refuses: .deleteDenied),
    RuleCase(
      "once nobody refers to it", [trips, stops, "update Stop 3 city=nil", "delete City 5"],
      shows: [
        "Trip 1 name=a stops=#3,#4", "Trip 2 name=b", "Stop 3 trip=#1 previous=#4", "Stop 4 position=1 trip=#1 next=#3",
      ]),
    RuleCase(
      "let go in the same save, before", [trips, stops, "update Stop 3 city=nil; delete City 5"],
      shows: [
        "Trip 1 name=a stops=#3,#4", "Trip 2 name=b", "Stop 3 trip=#1 previous=#4", "Stop 4 position=1 trip=#1 next=#3",
      ]),
    RuleCase(
      "let go in the same save, behind", [trips, stops, "delete City 5; update Stop 3 city=nil"],
      shows: [
        "Trip 1 name=a stops=#3,#4", "Trip 2 name=b", "Stop 3 trip=#1 previous=#4", "Stop 4 position=1 trip=#1 next=#3",
      ]),
    RuleCase(
      "given another in the same save", [trips, stops, "insert City 6 name=d; update Stop 3 city=#6; delete City 5"],
      shows: [
        "Trip 1 name=a stops=#3,#4", "Trip 2 name=b", "Stop 3 trip=#1 city=#6 previous=#4",
        "Stop 4 position=1 trip=#1 next=#3", "City 6 name=d stops=#3",
      ]),
    RuleCase(
      "with the record that refers to it", [trips, stops, "delete City 5; delete Stop 3"],
      shows: ["Trip 1 name=a stops=#4", "Trip 2 name=b", "Stop 4 position=1 trip=#1"]),
    RuleCase(
      "with what takes that record along", [trips, stops, "delete City 5; delete Trip 1"], shows: ["Trip 2 name=b"]),
    RuleCase(
      "behind what takes that record along", [trips, stops, "delete Trip 1; delete City 5"], shows: ["Trip 2 name=b"]),
    RuleCase(
      "a record that comes in the same save", [trips, "insert Stop 3 trip=#1 city=#5; delete City 5"],
      refuses: .deleteDenied),
    RuleCase(
      "deleted and inserted anew", [trips, stops, "delete City 5; insert City 5 name=d"],
      shows: [
        "Trip 1 name=a stops=#3,#4", "Trip 2 name=b", "Stop 3 trip=#1 city=#5 previous=#4",
        "Stop 4 position=1 trip=#1 next=#3", "City 5 name=d stops=#3",
      ]),
  ]

  @Test(arguments: denied) func `a delete under a rule of deny is judged at the end of the save`(row: RuleCase) throws {
    try row.run()
  }

  static let cascades: [RuleCase] = [
    RuleCase("all below", [trips, stops, "delete Trip 1"], shows: ["Trip 2 name=b", "City 5 name=c"]),
    RuleCase(
      "but what is moved away before", [trips, stops, "update Stop 4 trip=#2; delete Trip 1"],
      shows: ["Trip 2 name=b stops=#4", "Stop 4 position=1 trip=#2", "City 5 name=c"]),
    RuleCase(
      "and what is moved into it", [trips, stops, "update Stop 4 trip=#2", "update Stop 4 trip=#1; delete Trip 1"],
      shows: ["Trip 2 name=b", "City 5 name=c"]),
    RuleCase(
      "and what is inserted below it", [trips, "insert Stop 3 trip=#1; delete Trip 1"],
      shows: ["Trip 2 name=b", "City 5 name=c"]),
    RuleCase(
      "the pass, too", [trips, "insert Pass 7 trip=#1; insert Pass 8 trip=#2", "delete Trip 1"],
      shows: ["Trip 2 name=b pass=#8", "City 5 name=c", "Pass 8 trip=#2"]),
    RuleCase(
      "of a list without an inverse",
      ["insert Person 1 name=a; insert Note 2 ~Person.notes=#1; insert Note 3 text=x", "delete Person 1"],
      shows: ["Note 3 text=x"]),
    RuleCase(
      "nothing of tags", [trips, "insert Tag 9 name=x; link Trip 1 tags 9", "delete Trip 1"],
      shows: ["Trip 2 name=b", "City 5 name=c", "Tag 9 name=x"]),
    RuleCase(
      "and comes back with it", [trips, stops, "delete Trip 1", "insert Trip 1 name=d"],
      shows: [
        "Trip 1 name=d stops=#3,#4", "Trip 2 name=b", "Stop 3 trip=#1 city=#5 previous=#4",
        "Stop 4 position=1 trip=#1 next=#3", "City 5 name=c stops=#3",
      ]),
    RuleCase(
      "but what was deleted by itself", [trips, stops, "delete Stop 4", "delete Trip 1", "insert Trip 1 name=d"],
      shows: ["Trip 1 name=d stops=#3", "Trip 2 name=b", "Stop 3 trip=#1 city=#5", "City 5 name=c stops=#3"]),
  ]

  @Test(arguments: cascades) func `a delete takes along what is below at the end of the save`(row: RuleCase) throws {
    try row.run()
  }
}
