import RecordStore
import TestSupport
import Testing

/// Records that cannot be without another, fields that cannot be without a value, and changes of what is not there.
struct RequiredRuleTests {
  private static let trips = "insert Trip 1 name=a; insert Trip 2 name=b"
  private static let stop = "insert Stop 3 trip=#1"

  static let references: [RuleCase] = [
    RuleCase("none given", [trips, "insert Stop 3"], refuses: .invalidRequest),
    RuleCase("nil given", [trips, "insert Stop 3 trip=nil"], refuses: .invalidRequest),
    RuleCase("a record that never was", [trips, "insert Stop 3 trip=#9"], refuses: .recordNotFound),
    RuleCase("a deleted record", [trips, "delete Trip 1", stop], refuses: .recordNotFound),
    RuleCase("a record that the save deletes", [trips, "delete Trip 1; \(stop)"], shows: ["Trip 2 name=b"]),
    RuleCase(
      "a record of another entity", [trips, "insert Tag 9 name=x", "insert Stop 3 trip=#9"], refuses: .recordNotFound),
    RuleCase(
      "a record that the save inserts later", [trips, "insert Stop 3 trip=#9; insert Trip 9 name=c"],
      shows: ["Trip 1 name=a", "Trip 2 name=b", "Trip 9 name=c stops=#3", "Stop 3 trip=#9"]),
    RuleCase("nil written", [trips, stop, "update Stop 3 trip=nil"], refuses: .invalidRequest),
    RuleCase("moved to a record that never was", [trips, stop, "update Stop 3 trip=#9"], refuses: .recordNotFound),
    RuleCase(
      "moved to a deleted record", [trips, stop, "delete Trip 2", "update Stop 3 trip=#2"], refuses: .recordNotFound),
    RuleCase(
      "moved", [trips, stop, "update Stop 3 trip=#2"],
      shows: ["Trip 1 name=a", "Trip 2 name=b stops=#3", "Stop 3 trip=#2"]),
    RuleCase(
      "moved away before the delete of the save", [trips, stop, "update Stop 3 trip=#2; delete Trip 1"],
      shows: ["Trip 2 name=b stops=#3", "Stop 3 trip=#2"]),
    RuleCase(
      "moved away behind the delete of the save, when it is gone",
      [trips, stop, "delete Trip 1; update Stop 3 trip=#2"], refuses: .recordNotFound),
    RuleCase("its target is deleted", [trips, stop, "delete Trip 1"], shows: ["Trip 2 name=b"]),
    RuleCase(
      "its target is inserted anew", [trips, stop, "delete Trip 1", "insert Trip 1 name=c"],
      shows: ["Trip 1 name=c stops=#3", "Trip 2 name=b", "Stop 3 trip=#1"]),
    RuleCase(
      "its target is deleted and inserted in one save, which takes the delete back",
      [trips, stop, "delete Trip 1; insert Trip 1 name=c"],
      shows: ["Trip 1 name=c stops=#3", "Trip 2 name=b", "Stop 3 trip=#1"]),
  ]

  @Test(arguments: references) func `a record is there only with what it requires`(row: RuleCase) throws {
    try row.run()
  }

  static let values: [RuleCase] = [
    RuleCase(
      "not given, with a default", ["insert Trip 1 name=a", "insert Trip 2 name=b rating=3"],
      shows: ["Trip 1 name=a", "Trip 2 name=b"]),
    RuleCase("not given, without a default: the zero of its type", ["insert Trip 1"], shows: ["Trip 1"]),
    RuleCase("nil given", ["insert Trip 1 name=nil"], refuses: .invalidRequest),
    RuleCase("nil given in the place of a default", ["insert Trip 1 name=a rating=nil"], refuses: .invalidRequest),
    RuleCase("nil written", ["insert Trip 1 name=a", "update Trip 1 name=nil"], refuses: .invalidRequest),
    RuleCase(
      "nil written among other changes",
      ["insert Trip 1 name=a", "update Trip 1 rating=5; insert Tag 2 name=x; update Trip 1 name=nil"],
      refuses: .invalidRequest),
    RuleCase(
      "nil where it may be", ["insert Trip 1 name=a price=5", "update Trip 1 price=nil"], shows: ["Trip 1 name=a"]),
  ]

  @Test(arguments: values) func `a field that is not optional always has a value`(row: RuleCase) throws {
    try row.run()
  }

  static let absent: [RuleCase] = [
    RuleCase(
      "an update of a record that never was", ["insert Tag 1 name=a", "update Tag 2 name=b"], refuses: .recordNotFound),
    RuleCase(
      "an update of a deleted record", ["insert Tag 1 name=a", "delete Tag 1", "update Tag 1 name=b"],
      refuses: .recordNotFound),
    RuleCase(
      "an update behind the delete of the save", ["insert Tag 1 name=a", "delete Tag 1; update Tag 1 name=b"],
      refuses: .recordNotFound),
    RuleCase(
      "an update of a record that went along", [trips, stop, "delete Trip 1", "update Stop 3 title=x"],
      refuses: .recordNotFound),
    RuleCase("a delete of a record that never was", ["insert Tag 1 name=a", "delete Tag 2"], shows: ["Tag 1 name=a"]),
    RuleCase("a second delete", ["insert Tag 1 name=a", "delete Tag 1", "delete Tag 1"], shows: []),
    RuleCase("two deletes in one save", ["insert Tag 1 name=a", "delete Tag 1; delete Tag 1"], shows: []),
    RuleCase("an insert and its delete", ["insert Tag 1 name=a; delete Tag 1"], shows: []),
    RuleCase(
      "an insert behind its delete", ["insert Trip 1 name=a rating=5", "delete Trip 1; insert Trip 1 name=b"],
      shows: ["Trip 1 name=b"]),
    RuleCase(
      "an insert of a deleted record", ["insert Trip 1 name=a rating=5", "delete Trip 1", "insert Trip 1 name=b"],
      shows: ["Trip 1 name=b"]),
    RuleCase(
      "an insert of a record that is there", ["insert Trip 1 name=a rating=5", "insert Trip 1 name=b"],
      shows: ["Trip 1 name=b"]),
    RuleCase(
      "two inserts in one save", ["insert Trip 1 name=a rating=5; insert Trip 1 name=b"], shows: ["Trip 1 name=b"]),
    RuleCase(
      "two updates in one save", ["insert Trip 1 name=a", "update Trip 1 rating=4; update Trip 1 rating=5"],
      shows: ["Trip 1 name=a rating=5"]),
    RuleCase(
      "there and back in one save", ["insert Trip 1 name=a", "update Trip 1 rating=4; update Trip 1 rating=3"],
      shows: ["Trip 1 name=a"]),
  ]

  @Test(arguments: absent) func `changes of one record count in their order`(row: RuleCase) throws {
    try row.run()
  }
}
