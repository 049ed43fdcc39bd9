import Foundation
import RecordStore
import TestSupport
import Testing

@testable import Tandem

@Suite struct PredicateDifferentialTests {
  @Test func `filter and rest together accept what the predicate accepts`() {
    var random = SeededGenerator.announced()
    let population = Population(60, &random)
    let table = FilterOracle.table(of: Person.self)
    let oracle = FilterOracle(table: table)
    var predicates = RandomPredicate(random)
    var decidedByStore = 0
    for round in 0..<2000 {
      let predicate = predicates.next(depth: round % 4)
      let translation = PredicateTranslation(predicate, in: table)
      if translation.residual == nil { decidedByStore += 1 }
      for person in population.people {
        let expected = FetchDescriptor(predicate: predicate).accepts(person)
        let actual = oracle.accepts(person, translation.filter) && translation.residual?.accepts(person) != false
        guard expected == actual else {
          let text = FilterText(of: Person.self).text(translation.filter)
          Issue.record("\(expected) became \(actual) in round \(round)\n\(predicate)\n\(text)")
          return
        }
      }
    }
    #expect(decidedByStore > 500)
  }
}
