import Foundation
import LocalizedTexts
import Testing

@testable import MySubGuard

@Suite struct LanguageTests {
  private let keys = Set(MessageKey.allCases.map(\.rawValue))

  @Test(arguments: Language.allCases) func `each table has each text, and no other`(language: Language) {
    #expect(Set(language.table.entries.keys) == keys)
    #expect(language.table.entries.values.allSatisfy { !$0.texts.isEmpty && !$0.texts.contains("") })
  }

  @Test func `the texts of one key have the same places in every language`() {
    func places(_ text: String) -> Int { text.matches(of: /%(\d+\$)?@/).count }
    for key in MessageKey.allCases {
      let texts = Language.allCases.flatMap { $0.table.entries[key.rawValue]?.texts ?? [] }
      #expect(Set(texts.map(places)).count == 1, "\(key)")
    }
  }

  @Test func `places are filled in their order, or by their numbers`() {
    #expect(StringTable.filled("%@ and %@", with: ["a", "b"]) == "a and b")
    #expect(StringTable.filled("%2$@ und %1$@", with: ["a", "b"]) == "b und a")
    #expect(StringTable.filled("100 % of %@", with: ["%@"]) == "100 % of %@")
    #expect(StringTable.filled("%@, %@", with: ["a"]) == "a, ")
  }

  @Test(arguments: [
    (["LANG": "fr_FR.UTF-8"], Language.french, "fr_FR"), (["LANG": "fr_FR", "LC_ALL": "en_GB"], .english, "en_GB"),
    (["LC_ALL": "", "LC_MESSAGES": "fr"], .french, "fr"), (["LANG": "de_DE"], .english, "en"),
    (["LC_ALL": "C"], .english, "en"), ([:], .english, "en"),
  ])
  func `the environment names the language`(environment: [String: String], language: Language, locale: String) {
    let found = AppLocale(environment: environment)
    #expect(found.language == language && found.locale.identifier == locale)
  }

  @Test func `a language that is given wins, and keeps a region of the same language`() {
    #expect(AppLocale(language: .french, environment: ["LANG": "en_US"]).locale.identifier == "fr")
    #expect(AppLocale(language: .french, environment: ["LANG": "fr_CH.UTF-8"]).locale.identifier == "fr_CH")
  }

  /// Foundation writes the same; this checks the pattern that is read off one amount.
  @Test(arguments: ["en", "fr", "en_GB", "fr_CH", "fr_CA"])
  func `money is written as Foundation writes it`(identifier: String) throws {
    let locale = AppLocale(environment: ["LANG": identifier])
    for code in ["EUR", "USD", "JPY", "KWD", "CHF"] {
      let currency = try Currency(code: code)
      for amount in ["0", "7", "41.9", "999.99", "1234", "12345.5", "1234567.25"] {
        let money = Money(Decimal(string: amount) ?? 0, currency)
        let style = Decimal.FormatStyle.Currency(code: code, locale: locale.locale)
          .precision(.fractionLength(currency.decimals)).rounded(rule: .toNearestOrEven)
        #expect(locale.text(money) == money.amount.formatted(style), "\(amount) \(code)")
      }
    }
  }

  @Test func `days are written and counted in the language`() throws {
    let (english, french) = (AppLocale(.english), AppLocale(.french))
    let day = try CalendarDay(iso: "2026-01-31")
    #expect([english.text(day), french.text(day)] == ["Jan 31, 2026", "31 janv. 2026"])
    #expect([english.month(of: day), french.month(of: day)] == ["January 2026", "janvier 2026"])
    let distances = [-2, -1, 0, 1, 12].map { french.distance(of: day.adding(days: $0), from: day) }
    #expect(distances == ["il y a 2 jours", "hier", "aujourd’hui", "demain", "dans 12 jours"])
    #expect(french.count(0, .subscriptions) == "0 abonnement")
    #expect(english.count(0, .subscriptions) == "0 subscriptions")
  }

  @Test func `a French program answers, lists and refuses in French`() throws {
    try withDevice { device in
      var device = device
      device.language = "fr_FR.UTF-8"
      let today = ["--today", "2026-01-15"]
      let add = try device.run(
        ["add", "Fibre", "--amount", "41,99", "--frequency", "mensuel", "--next", "2026-01-31"] + today)
      #expect(add.output == "ajouté: Fibre · 41,99\u{A0}€ · Mensuel · prochain le 31 janv. 2026 · Personnel\n")
      #expect(
        try device.run(["price", "Fibre", "43,99"] + today).output.hasSuffix(
          "  2,00\u{A0}€ de plus depuis le 15 janv. 2026 (avant\u{A0}: 41,99\u{A0}€)\n"))
      let list = try device.run(["list"] + today).output
      #expect(list.contains("prochain prélèvement") && list.hasSuffix("1 abonnement\n"), "\(list)")
      let refused = try device.run("show", "rien")
      #expect(refused.code == 1 && refused.trouble.contains("il n’y a pas d’abonnement «\u{A0}rien\u{A0}»"))
      let amount = try device.run("edit", "Fibre", "--amount", "1,299")
      #expect(amount.code == 2 && amount.trouble.contains("n’est pas un montant"), "\(amount.trouble)")
      // What programs read is the same in every language.
      let json = try device.run("list", "--json", "--today", "2026-01-15", "--language", "en").output
      #expect(try device.run("list", "--json", "--today", "2026-01-15").output == json)
      #expect(try device.run("list", "--language", "en").output.hasSuffix("1 subscription\n"))
    }
  }

  @Test func `names stand in the order of the alphabet, accents beside their letters`() throws {
    try withDevice { device in
      for name in ["Zoo", "Étoile", "étude", "Eau", "œuvre", "orange", "abo"] {
        _ = try device.run("add", name, "--amount", "1", "--frequency", "annuel", "--next", "2026-01-01")
      }
      let names = try SubscriptionBook(device: device.url).subscriptions(sortedBy: .name).map(\.name)
      for language in Language.allCases {
        let locale = Locale(identifier: language.rawValue)
        let sorted = names.sorted { $0.compare($1, locale: locale) == .orderedAscending }
        #expect(names == sorted, "\(language)")
      }
    }
  }
}
