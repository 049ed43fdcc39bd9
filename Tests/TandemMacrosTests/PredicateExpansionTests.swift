import Testing

/// `#Predicate`: what is left for Foundation's macro.
@Suite struct PredicateExpansionTests {
  @Test func `a predicate that asks no other is Foundation's as it stands`() {
    #expect(
      Expansion(of: "let wanted = #Predicate<Trip> { $0.nights > 7 }").text == """
        let wanted = #FoundationPredicate<Trip> {
          $0.nights > 7
        }
        """)
    #expect(
      Expansion(of: "let wanted = #Predicate({ (trip: Trip) in trip.nights > 7 })").text == """
        let wanted = #FoundationPredicate({ (trip: Trip) in
          trip.nights > 7
        })
        """)
    #expect(
      Expansion(of: "let wanted = #Predicate<Trip> { $0.rule.evaluate() }").text == """
        let wanted = #FoundationPredicate<Trip> {
          $0.rule.evaluate()
        }
        """)
  }

  @Test func `predicates that are asked are made outside of the body`() {
    #expect(
      Expansion(of: "let wanted = #Predicate<Trip> { long.evaluate($0) || try Trip.rule.evaluate($0) }").text == """
        let wanted = {
          let _asked1 = Tandem._asked(long)
          let _asked2 = Tandem._asked(Trip.rule)
          return #FoundationPredicate<Trip> {
            _asked1.contains($0) || _asked2.contains($0)
          }
        }()
        """)
  }

  @Test func `a member or a label that is called like an input is none`() {
    let text = Expansion(of: "#Predicate<Trip> { trip in rules.trip.evaluate(trip) && rule(trip: 3).evaluate(trip) }")
    #expect(text.mistakes.isEmpty)
    #expect(text.text.contains("_asked(rules.trip)") && text.text.contains("_asked(rule(trip: 3))"))
  }

  @Test func `paths of what is known outside are read outside, each once`() {
    let body = "$0.chart?.id == chart.id && $0.place != self.place?.name && ids.all.contains($0.id) && chart.id != id"
    #expect(
      Expansion(of: "let wanted = #Predicate<Report> { \(body) }").text == """
        let wanted = {
          let _known1 = chart.id
          let _known2 = self.place?.name
          let _known3 = ids.all
          return #FoundationPredicate<Report> {
            $0.chart?.id == _known1 && $0.place != _known2 && _known3.contains($0.id) && _known1 != id
          }
        }()
        """)
  }

  @Test func `what begins with a type, an input or a call, and parts of optional chains, stay where they are`() {
    for body in [
      "Kind.first.rawValue == $0.kind", "$0.stops.contains { stop in stop.place == $0.place }", "make().id == $0.id",
      "chart?.name.hasPrefix(\"a\") ?? false", "chart!.id == $0.id", "$0.id == list[0].id", "id == $0.id",
    ] {
      let text = Expansion(of: "#Predicate<Report> { \(body) }").text
      #expect(!text.contains("_known"), "\(text)")
    }
  }

  @Test func `a predicate that only the body knows cannot be asked`() {
    let words = "a predicate asks only what is known before it runs; "
    #expect(
      Expansion(of: "#Predicate<Trip> { $0.rule.evaluate($0) }").mistakes
        == "1:20 error: \(words)'$0' is known inside of it alone")
    #expect(
      Expansion(of: "#Predicate<Trip> { trip in if let rule { rule.evaluate(trip) } else { true } }").mistakes
        == "1:42 error: \(words)'rule' is known inside of it alone")
  }
}
