import MacroExpander
import Testing

/// `#Predicate`: what it makes of the body.
@Suite struct PredicateExpansionTests {
  private func expansion(_ body: String, _ inputs: String = "<Trip>") throws -> String {
    try Expansion(of: "#Predicate\(inputs) { \(body) }").text
  }

  @Test func `each comparison is a statement, and connectives stand between their names`() throws {
    let lines = try expansion("$0.nights > 7 && (!$0.isDone || $0.name == \"a\")")
      .replacing("PredicateExpressions.build_", with: "").split(separator: "\n")
      .map { String($0.drop { $0 == " " }) }
    #expect(
      lines == [
        "FoundationEssentials.Predicate<Trip>({ _input1 in",
        "let _part1 = Comparison(lhs: KeyPath(root: _input1, keyPath: \\.nights), rhs: Arg(7), op: .greaterThan)",
        "let _part2 = Tandem::_pair(KeyPath(root: _input1, keyPath: \\.name), known: \"a\").equal",
        "return Conjunction(lhs: _part1, rhs: Disjunction(lhs: "
          + "Negation(KeyPath(root: _input1, keyPath: \\.isDone)), rhs: _part2))",
        "})",
      ])
  }

  @Test func `operators on known values are built, so that they cannot end the process`() throws {
    let text = try expansion("$0.nights > 3 / zero").replacing("PredicateExpressions.build_", with: "")
    #expect(text.contains("rhs: Division(lhs: Arg(3), rhs: Arg(zero)), op"), "\(text)")
    #expect(try expansion("$0.nights > -3").contains("build_Arg(-3)"))
  }

  @Test func `inputs keep their names, their types and what is captured with them`() throws {
    #expect(
      try Expansion(of: "let wanted = #Predicate({ [limit] (trip: Trip) in trip.nights > limit })").text
        .contains("({ [limit] (trip: PredicateExpressions.Variable<Trip>) in"))
    #expect(try expansion("$0.nights == $1.nights", "<Trip, Trip>").contains("{ _input1, _input2 in"))
  }

  @Test func `what mentions no input is read where the predicate is made`() throws {
    let body = """
      $0.chart?.id == chart.id && Date.now > $0.start && ids.filter { $0 != id }.contains($0.id) \
      && Kind.first.rawValue == $0.kind && $0.score < limit(of: chart)
      """
    let text = try expansion(body)
    for known in [
      "known: chart.id)", "build_Arg(Date.now)", "build_Arg(ids.filter {", "known: Kind.first.rawValue)",
      "build_Arg(limit(of: chart))",
    ] {
      #expect(text.contains(known), "\(known) in \(text)")
    }
  }

  @Test func `an optional chain goes on in a closure of its own`() throws {
    let text = try expansion("$0.chart?.owner?.name == nil").replacing("PredicateExpressions.build_", with: "")
    #expect(text.contains("let _part1 = flatMap(KeyPath(root: _input1, keyPath: \\.chart)) { _input2 in"), "\(text)")
    #expect(text.contains("let _part2 = flatMap(_part1) { _input3 in"), "\(text)")
  }

  @Test func `a closure's own names hide those around it`() throws {
    let text = try expansion("trip in trip.stops.contains { trip in trip.place == \"a\" } && trip.isDone")
    #expect(text.contains("{ trip in\n"))
    #expect(
      try expansion("$0.stops.contains(where: { $0.isDone })").contains(
        "build_KeyPath(root: _input2, keyPath: \\.isDone)"))
    #expect(
      try expansion("$0.stops.allSatisfy(\\.isDone)").contains("build_KeyPath(root: _input2, keyPath: \\.isDone)"))
  }

  @Test func `if let binds by nested closures`() throws {
    let text = try expansion(
      "trip in if let a = trip.a, let b = a.b { b == 1 } else if trip.isDone { true } else { false }")
    #expect(text.contains("build_flatMap(PredicateExpressions.build_KeyPath(root: trip, keyPath: \\.a)) { a in"))
    #expect(text.contains("build_flatMap(PredicateExpressions.build_KeyPath(root: a, keyPath: \\.b)) { b in"))
    #expect(text.contains("build_Conditional(PredicateExpressions.build_KeyPath(root: trip, keyPath: \\.isDone)"))
  }

  @Test func `predicates and expressions that are asked stay outside`() throws {
    let text = try expansion("long.evaluate($0) || try Trip.rule.evaluate($0)")
    #expect(text.contains("Tandem::_evaluate(long, _input1)") && text.contains("Tandem::_evaluate(Trip.rule, _input1)"))
    let named = try Expansion(
      of: "#Predicate<Trip> { trip in rules.trip.evaluate(trip) && rule(trip: 3).evaluate(trip) }")
    #expect(named.mistakes.isEmpty)
    #expect(named.text.contains("_evaluate(rules.trip, trip)") && named.text.contains("_evaluate(rule(trip: 3), trip)"))
  }

  @Test func `a predicate that only the body knows cannot be asked`() throws {
    let words = "a predicate asks only what is known before it runs; "
    #expect(
      try Expansion(of: "#Predicate<Trip> { $0.rule.evaluate($0) }").mistakes
        == "1:20 error: \(words)'$0' is known inside of it alone")
    #expect(
      try Expansion(of: "#Predicate<Trip> { trip in if let rule { rule.evaluate(trip) } else { true } }").mistakes
        == "1:42 error: \(words)'rule' is known inside of it alone")
  }

  @Test func `what predicates cannot ask is said where it stands, all of it`() throws {
    #expect(
      try Expansion(of: "#Predicate<Trip> { $0.name.hasPrefix(\"a\") && $0.name.lowercased() == \"b\" }").mistakes
        == """
        1:28 error: a predicate cannot call 'hasPrefix(_:)' on what it tests: rephrase it, or filter the results
          use 'starts(with:)':
          | #Predicate<Trip> { $0.name.starts(with: "a") && $0.name.lowercased() == "b" }
        1:54 error: a predicate cannot call 'lowercased()' on what it tests: rephrase it, or filter the results
        """)
    #expect(
      try Expansion(of: "#Predicate<Trip> { $0 === other }").mistakes == """
        1:23 error: a predicate cannot ask '===': rephrase it, or filter the results
          use '==':
          | #Predicate<Trip> { $0 == other }
        """)
    #expect(
      try Expansion(of: "#Predicate<Trip> { abs($0.nights) == 3 }").mistakes
        == "1:20 error: a predicate cannot call 'abs' on what it tests: rephrase it, or filter the results")
    #expect(
      try Expansion(of: "#Predicate<Trip> { $0.nights == 3; return true }").mistakes
        == "1:36 error: a predicate is one expression: put other statements before it")
    #expect(
      try Expansion(of: "#Predicate<Trip> { \"\\($0.name)\" == name }").mistakes
        == "1:20 error: a predicate cannot ask this of what it tests: rephrase it, or filter the results")
    #expect(
      try Expansion(of: "#Predicate<Trip> { if let a = $0.a, a > 3 { true } else { false } }").mistakes
        == "1:23 error: an 'if' in a predicate either binds optionals or tests conditions, and not both")
    #expect(
      try Expansion(of: "#Predicate<Trip>(isLong)").mistakes
        == "1:1 error: #Predicate needs a closure, which says the condition")
  }
}
