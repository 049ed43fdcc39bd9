import AstroSvitla
import Foundation
import LocalizedTexts

/// What the program says, in the person's language. The texts stand in the tables of the app.
struct Phrases {
  let locale: AppLocale

  func say(_ key: MessageKey, _ arguments: String...) -> String { locale.text(key, arguments) }
  func count(_ number: Int, _ key: MessageKey) -> String { locale.text(key, count: number, ["\(number)"]) }
  func columns(_ keys: MessageKey...) -> [String] { keys.map { locale.text($0) } }

  func credits(_ count: Int) -> String { self.count(count, .credits) }

  func chartAdded(_ name: String, _ id: String) -> String { say(.chartAdded, name, id) }
  func generated(_ area: String, words: Int, minutes: Int, _ id: String) -> String {
    say(.generated, area, "\(words)", "\(minutes)", id)
  }
  func renamed(_ name: String) -> String { say(.renamed, name) }
  func deleted(_ name: String) -> String { say(.deleted, name) }
  func offer(_ state: AreaOffer.State) -> String {
    switch state {
    case .owned: say(.areaOwned)
    case .available: say(.areaAvailable)
    case .locked: say(.areaLocked)
    }
  }

  var profileHeader: [String] { columns(.columnID, .columnPerson, .columnCharts, .columnReports) }
  var reportHeader: [String] {
    columns(
      .columnRequest, .columnArea, .columnChart, .columnLanguage, .columnWords, .columnMade, .columnPrice)
  }
}

/// Money, days and numbers, as the language and the region write them.
extension Phrases {
  /// A day with its time where the person is, and the zone. Programs get UTC.
  func moment(_ date: Date) -> String { locale.moment(date) }

  /// A day of birth: `August 24, 1991`, `24 серпня 1991 р.`.
  func day(_ day: BirthDay) -> String { locale.text(day.date, .long) }

  func price(_ amount: Decimal?, _ currency: String?) -> String {
    guard let amount else { return "–" }
    let digits = CurrencyRounding.digits(of: amount, currency)
    return currency.map { locale.money(digits, $0) } ?? digits
  }

  func price(of report: ReportDetails) -> String {
    report.isPaidByPlan ? say(.paidByPlan) : price(report.price, report.currencyCode)
  }

  /// A latitude or longitude as it is typed, in the digits of the language.
  func number(_ degrees: Double) -> String { locale.number(degrees, decimals: 4) }

  /// Degrees with so many decimals, and a sign.
  func degrees(_ value: Double, decimals: Int, isSigned: Bool = false) -> String {
    locale.number(value, decimals: decimals, isSigned: isSigned) + "°"
  }
}
