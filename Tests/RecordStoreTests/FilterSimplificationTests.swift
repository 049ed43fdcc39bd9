import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// Every rule by which a filter is decided before a record is looked at, and that nothing else is.
struct FilterSimplificationTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let title: String
    let filter: RecordFilter
    let becomes: RecordFilter
    var testDescription: String { title }

    init(_ title: String, _ filter: RecordFilter, _ becomes: RecordFilter) {
      (self.title, self.filter, self.becomes) = (title, filter, becomes)
    }
  }

  private static let name = FieldPath(0)
  private static let score = FieldPath(2)
  private static let born = FieldPath(4)
  private static let price = FieldPath(3)
  private static let isAnna = RecordFilter.compare(name, .equal, .string("Anna"))
  private static let isNotAnna = RecordFilter.compare(name, .notEqual, .string("Anna"))
  private static let isOld = RecordFilter.compare(FieldPath(1), .greater, .int(60))
  private static let isYoung = RecordFilter.compare(FieldPath(1), .less, .int(20))
  private static let beginsWithA = RecordFilter.text(name, .hasPrefix, "A")
  private static let nan = FieldValue.double(.nan)

  static let constants: [Row] = [
    Row("everything stays everything", .all, .all), Row("nothing stays nothing", .none, .none),
    Row("no ids are nothing", .ids([]), .none),
    Row("ids stay", .ids([fixtureID(1)]), .ids([fixtureID(1)])),
    Row("equal to nil depends on the record", .compare(name, .equal, .null), .compare(name, .equal, .null)),
    Row("not equal to nil depends on the record", .compare(name, .notEqual, .null), .compare(name, .notEqual, .null)),
    Row("less than nil is false", .compare(name, .less, .null), .none),
    Row("at most nil is false", .compare(name, .lessOrEqual, .null), .none),
    Row("greater than nil is false", .compare(name, .greater, .null), .none),
    Row("at least nil is false", .compare(name, .greaterOrEqual, .null), .none),
    Row("equal to not-a-number is false", .compare(score, .equal, nan), .none),
    Row("not equal to not-a-number is true", .compare(score, .notEqual, nan), .all),
    Row("less than not-a-number is false", .compare(score, .less, nan), .none),
    Row("at least not-a-number is false", .compare(score, .greaterOrEqual, nan), .none),
    Row(
      "a date that is not a number is none either",
      .compare(born, .equal, .date(Date(timeIntervalSinceReferenceDate: .nan))), .none),
    Row("nor is a decimal", .compare(price, .lessOrEqual, .decimal(.nan)), .none),
    Row(
      "infinity is a number", .compare(score, .less, .double(.infinity)), .compare(score, .less, .double(.infinity))),
    Row("a text's beginning stays, the empty one too", .text(name, .hasPrefix, ""), .text(name, .hasPrefix, "")),
    Row("a search for people stays", .localizedContains(name, "a"), .localizedContains(name, "a")),
    Row("two fields stay", .compareFields(name, .less, name), .compareFields(name, .less, name)),
  ]

  static let lists: [Row] = [
    Row("one of none is nothing", .oneOf(name, []), .none),
    Row("one of one is equal to it", .oneOf(name, [.string("Anna")]), isAnna),
    Row("one of one nil is equal to nil", .oneOf(name, [.null]), .compare(name, .equal, .null)),
    Row("one of two stays", .oneOf(score, [.double(1), .null]), .oneOf(score, [.double(1), .null])),
    Row(
      "not-a-number in a list is equal to none", .oneOf(score, [nan, .double(1)]), .compare(score, .equal, .double(1))),
    Row("a list of not-a-number is nothing", .oneOf(score, [nan, nan]), .none),
  ]

  static let combined: [Row] = [
    Row("all of none is everything", .and([]), .all), Row("one of none is nothing", .or([]), .none),
    Row("all of one is it", .and([isAnna]), isAnna), Row("one of one is it", .or([isAnna]), isAnna),
    Row("what is true falls out of a conjunction", .and([.all, isAnna, .all]), isAnna),
    Row("what is false decides a conjunction", .and([isAnna, .none, isOld]), .none),
    Row("what is false falls out of a disjunction", .or([.none, isAnna]), isAnna),
    Row("what is true decides a disjunction", .or([isAnna, .all]), .all),
    Row("conjunctions become one", .and([.and([isAnna, isOld]), beginsWithA]), .and([isAnna, isOld, beginsWithA])),
    Row("disjunctions become one", .or([isAnna, .or([isOld, isYoung])]), .or([isAnna, isOld, isYoung])),
    Row(
      "a disjunction in a conjunction stays", .and([isAnna, .or([isOld, isYoung])]),
      .and([isAnna, .or([isOld, isYoung])])),
    Row("a conjunction that turns out true in a disjunction decides it", .or([isAnna, .and([.all, .all])]), .all),
    Row(
      "a part that turns out false decides, however deep", .and([isAnna, .or([.none, .and([isOld, .none])])]), .none),
    Row(
      "a comparison with nil by order falls out of a disjunction", .or([.compare(name, .less, .null), isAnna]), isAnna),
    Row("and decides a conjunction", .and([isAnna, .compare(name, .less, .null)]), .none),
    Row("plain comparisons stay as they are", .and([isAnna, isOld]), .and([isAnna, isOld])),
  ]

  static let negated: [Row] = [
    Row("not everything is nothing", .not(.all), .none), Row("not nothing is everything", .not(.none), .all),
    Row("twice not is the condition", .not(.not(beginsWithA)), beginsWithA),
    Row("thrice not is once", .not(.not(.not(beginsWithA))), .not(beginsWithA)),
    Row("not equal", .not(isAnna), isNotAnna), Row("not not-equal", .not(isNotAnna), isAnna),
    // Both "less" and "not less" are false or true with nil in another way than "at least" would be.
    Row("not less is not at least", .not(isYoung), .not(isYoung)),
    Row("not less than nil is true of all", .not(.compare(name, .less, .null)), .all),
    Row("not equal to not-a-number, negated, is nothing", .not(.compare(score, .notEqual, nan)), .none),
    Row("not one of one", .not(.oneOf(name, [.string("Anna")])), isNotAnna),
    Row("not one of none", .not(.oneOf(name, [])), .all), Row("not all of none", .not(.and([])), .none),
    Row("not one of two conditions", .not(.or([isAnna, isOld])), .not(.or([isAnna, isOld]))),
  ]

  static let related: [Row] = [
    Row("some of nothing are none", .anyRelated(relationship: "tags", .none), .none),
    Row(
      "some of everything depends on the record", .anyRelated(relationship: "tags", .all),
      .anyRelated(relationship: "tags", .all)),
    Row("all of everything are all", .allRelated(relationship: "tags", .all), .all),
    Row(
      "all of nothing depends on the record", .allRelated(relationship: "tags", .none),
      .allRelated(relationship: "tags", .none)),
    Row(
      "what is asked of the related is decided, too", .anyRelated(relationship: "tags", .and([.all, isAnna])),
      .anyRelated(relationship: "tags", isAnna)),
    Row(
      "a question that is false of the related is false",
      .anyRelated(relationship: "tags", .compare(name, .less, .null)), .none),
    Row(
      "a count stays, for nothing may be as many", .countRelated(relationship: "tags", .none, .equal, 0),
      .countRelated(relationship: "tags", .none, .equal, 0)),
    Row("not some of nothing is everything", .not(.anyRelated(relationship: "tags", .none)), .all),
    Row("not all of everything is nothing", .not(.allRelated(relationship: "tags", .all)), .none),
  ]

  private static let rows = constants + lists + combined + negated + related

  @Test(arguments: rows) func `a filter is decided as far as no record is needed`(row: Row) {
    #expect(row.filter.simplified() == row.becomes)
    #expect(row.becomes.simplified() == row.becomes, "what is decided stays so")
  }

  /// Over records of all kinds of values: nil, not-a-number, texts in both forms.
  @Test(arguments: [false, true]) func `what is decided passes the same records`(isIndexed: Bool) throws {
    var generator = SeededGenerator.announced()
    let records = QueryFixture.records(using: &generator)
    try QueryFixture.withSource(of: records, isIndexed: isIndexed) { source throws in
      func passing(_ filter: RecordFilter) throws -> [RecordID] {
        try source.fetch(RecordQuery(entity: 0, filter: filter, includesSubentities: false)).map(\.id)
      }
      let all = try passing(.all)
      for row in Self.rows {
        let found = try passing(row.filter)
        #expect(try passing(row.becomes) == found, "\(row.title)")
        // A disjunction with one that no record passes is not decided before the records are looked at.
        #expect(
          try passing(.or([row.filter, .text(Self.name, .hasPrefix, "no name begins so")])) == found, "\(row.title)")
        let others = try passing(.not(row.filter))
        #expect(Set(found).isDisjoint(with: others) && found.count + others.count == all.count, "\(row.title)")
      }
    }
  }

  static let conjuncts: [(filter: RecordFilter, terms: [RecordFilter])] = [
    (.all, []), (isAnna, [isAnna]), (.and([isAnna, isOld]), [isAnna, isOld]), (.none, [.none]),
    (.or([isAnna, isOld]), [.or([isAnna, isOld])]),
  ]

  @Test(arguments: conjuncts)
  func `a filter is the conjunction of its terms`(filter: RecordFilter, terms: [RecordFilter]) {
    #expect(filter.conjuncts == terms)
    #expect(RecordFilter(conjuncts: terms) == filter)
  }

  private static let (one, other) = (fixtureID(6), fixtureID(5))

  /// Wherever an id stands in a filter, it is replaced by the one that stands for it.
  static let aliases: [(filter: RecordFilter, becomes: RecordFilter)] = [
    (.compare(FieldPath(8), .equal, .reference(one)), .compare(FieldPath(8), .equal, .reference(other))),
    (.compare(FieldPath(8), .notEqual, .null), .compare(FieldPath(8), .notEqual, .null)), (isAnna, isAnna),
    (.oneOf(FieldPath(8), [.reference(one), .null]), .oneOf(FieldPath(8), [.reference(other), .null])),
    (.ids([one, fixtureID(9)]), .ids([other, fixtureID(9)])), (.ids([one, other]), .ids([other])),
    (.not(.ids([one])), .not(.ids([other]))), (.and([isAnna, .ids([one])]), .and([isAnna, .ids([other])])),
    (.or([.all, .ids([one])]), .or([.all, .ids([other])])),
    (.anyRelated(relationship: "r", .ids([one])), .anyRelated(relationship: "r", .ids([other]))),
    (.allRelated(relationship: "r", .ids([one])), .allRelated(relationship: "r", .ids([other]))),
    (
      .countRelated(relationship: "r", .ids([one]), .less, 2), .countRelated(relationship: "r", .ids([other]), .less, 2)
    ),
    (.compareFields(name, .equal, name), .compareFields(name, .equal, name)), (.none, .none),
  ]

  @Test(arguments: aliases) func `each id of a filter is the one that stands for it`(
    filter: RecordFilter, becomes: RecordFilter
  ) throws {
    #expect(try filter.resolvingAliases { $0 == Self.one ? Self.other : $0 } == becomes)
  }
}
