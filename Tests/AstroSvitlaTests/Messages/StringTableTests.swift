import Foundation
import LocalizedTexts
import Testing

@testable import AstroSvitla

/// The tables of texts, and how each language counts, writes numbers, days and money.
@Suite struct StringTableTests {
  private let english = AppLocale(.english)
  private let ukrainian = AppLocale(.ukrainian)

  private func texts(_ language: AppLanguage, _ key: String) -> [String] { language.table.entries[key]?.texts ?? [] }

  @Test func `each table has each text, and no other`() {
    let keys = Set(MessageKey.allCases.map(\.rawValue))
    let reports = AppLanguage.allCases.map { language in
      Set(language.table.entries.keys.filter { $0.hasPrefix("report.") })
    }
    #expect(reports[0] == reports[1] && reports[0].count == 91)
    for language in AppLanguage.allCases {
      #expect(Set(language.table.entries.keys).subtracting(reports[0]) == keys, "\(language)")
      #expect(language.table.entries.values.allSatisfy { !$0.texts.isEmpty && !$0.texts.contains("") })
    }
  }

  @Test func `the texts of one key have the same places in every language and form`() {
    for key in AppLanguage.english.table.entries.keys {
      let places = AppLanguage.allCases.flatMap { texts($0, key) }.map { $0.matches(of: /%(\d+\$)?@/).count }
      #expect(Set(places).count == 1, "\(key)")
    }
  }

  @Test func `what is counted has each form of its language`() {
    for language in AppLanguage.allCases {
      for (key, entry) in language.table.entries {
        guard case .forms(let forms) = entry else { continue }
        #expect(Set(forms.keys) == PluralForm.all(of: language.rawValue), "\(key) in \(language)")
      }
    }
  }

  @Test func `Ukrainian texts are written in Ukrainian`() {
    // Names of commands, options and products, and what a program reads, stay as they are typed.
    let russian = Set("ыэъё")
    for (key, entry) in AppLanguage.ukrainian.table.entries {
      for text in entry.texts {
        #expect(!text.lowercased().contains(where: russian.contains), "\(key): \(text)")
        #expect(
          text.contains { ("а"..."я").contains($0.lowercased()) } || ["verbatim", "columnID"].contains(key), "\(key)")
      }
    }
  }

  @Test(arguments: [
    (1, "1 кредит"), (2, "2 кредити"), (4, "4 кредити"), (5, "5 кредитів"), (11, "11 кредитів"), (12, "12 кредитів"),
    (14, "14 кредитів"), (21, "21 кредит"), (22, "22 кредити"), (111, "111 кредитів"), (0, "0 кредитів"),
  ])
  func `Ukrainian counts in three forms`(count: Int, text: String) {
    #expect(ukrainian.text(MessageKey.credits, count: count, ["\(count)"]) == text)
  }

  @Test func `English counts in two forms`() {
    let texts = [0, 1, 2].map { english.text(MessageKey.credits, count: $0, ["\($0)"]) }
    #expect(texts == ["0 credits", "1 credit", "2 credits"])
  }

  @Test func `months of Ukrainian days stand in the genitive`() throws {
    let day = try BirthDay(iso: "1991-08-24").date
    #expect(ukrainian.text(day, .long) == "24 серпня 1991\u{202F}р.")
    #expect(english.text(day, .long) == "August 24, 1991")
  }

  @Test func `money and numbers are written as Foundation writes them`() {
    for locale in [english, ukrainian, AppLocale(environment: ["LANG": "uk_UA.UTF-8"])] {
      for code in ["UAH", "USD", "EUR", "JPY"] {
        for amount in ["0", "4.99", "199", "1234.5", "1234567.25"].compactMap({ Decimal(string: $0) }) {
          let places = code == "JPY" ? 0 : 2
          let style = Decimal.FormatStyle.Currency(code: code, locale: locale.locale)
            .precision(.fractionLength(places)).rounded(rule: .toNearestOrAwayFromZero)
          let text = locale.money(CurrencyRounding.digits(of: amount, code), code)
          #expect(text == amount.formatted(style), "\(amount) \(code)")
        }
      }
    }
    #expect(ukrainian.money("1234.56", "UAH") == "1\u{A0}234,56\u{A0}₴")
    #expect(ukrainian.number(13.176, decimals: 3, isSigned: true) == "+13,176")
    #expect(english.number(-0.4, decimals: 3, isSigned: true) == "-0.400")
  }

  @Test func `a sentence within a sentence, and a count, take the language of the whole`() {
    let error = AstroSvitlaError(.ambiguous, .ambiguousChart, .count(3), cause: "because")
    #expect(error.text(in: .ukrainian).hasPrefix("на це відгукуються 3 карти"))
    #expect(error.description.hasPrefix("3 charts answer to that") && error.description.hasSuffix("(because)"))
    let differs = AstroSvitlaError(
      .positionsDiffer, .positionsDiffer, .sentence(Sentence(.planetMoon)), .number(8, decimals: 1))
    #expect(differs.text(in: .ukrainian).contains("Місяць: різниця 8,0°"))
    #expect(differs.message.contains("Moon differs by 8.0°"))
  }

  @Test func `an error's sentence is said in the language that runs`() {
    let error = AstroSvitlaError(.notFound, .noSuchChart)
    #expect(error.localizedDescription == error.message)
    AppLanguage.$current.withValue(.ukrainian) { #expect(error.localizedDescription == error.ukrainianMessage) }
  }
}
