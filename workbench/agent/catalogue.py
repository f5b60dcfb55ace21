"""Generates the long module of the sample workspace: the seed shop's catalogue, the same in every copy."""

import random
from collections.abc import Iterator

VARIETIES = 3600

PLANTS = (
    ("Tomato", "Solanum lycopersicum", 295, (2, 4)), ("Carrot", "Daucus carota", 215, (3, 7)),
    ("Lettuce", "Lactuca sativa", 195, (3, 8)), ("Radish", "Raphanus sativus", 175, (3, 9)),
    ("Pea", "Pisum sativum", 245, (3, 5)), ("Runner bean", "Phaseolus coccineus", 265, (4, 6)),
    ("Courgette", "Cucurbita pepo", 285, (4, 6)), ("Pumpkin", "Cucurbita maxima", 305, (4, 5)),
    ("Cucumber", "Cucumis sativus", 275, (3, 5)), ("Beetroot", "Beta vulgaris", 205, (4, 7)),
    ("Spinach", "Spinacia oleracea", 195, (3, 9)), ("Kale", "Brassica oleracea", 225, (4, 6)),
    ("Leek", "Allium porrum", 235, (2, 4)), ("Onion", "Allium cepa", 215, (2, 4)),
    ("Basil", "Ocimum basilicum", 185, (3, 6)), ("Parsley", "Petroselinum crispum", 175, (3, 7)),
    ("Dill", "Anethum graveolens", 165, (4, 7)), ("Coriander", "Coriandrum sativum", 175, (4, 8)),
    ("Sunflower", "Helianthus annuus", 225, (4, 6)), ("Cornflower", "Centaurea cyanus", 155, (3, 6)),
    ("Marigold", "Calendula officinalis", 155, (3, 6)), ("Sweet pea", "Lathyrus odoratus", 245, (3, 5)),
    ("Nasturtium", "Tropaeolum majus", 185, (4, 6)), ("Poppy", "Papaver rhoeas", 145, (3, 5)),
)  # fmt: skip

FIRST = (
    "Amber", "Autumn", "Black", "Bohemian", "Crimson", "Danish", "Early", "Evening", "Frosty", "Golden", "Green",
    "Harvest", "Highland", "Ivory", "Lemon", "Little", "Midnight", "Morning", "Northern", "Old", "Paris", "Purple",
    "Red", "Rosy", "Scarlet", "Silver", "Spring", "Summer", "Velvet", "White", "Winter", "Yellow",
)  # fmt: skip

SECOND = (
    "Arrow", "Beauty", "Bell", "Comet", "Crown", "Dancer", "Delight", "Dream", "Fire", "Garden", "Giant", "Glory",
    "Heart", "Jewel", "King", "Lady", "Lantern", "Market", "Marvel", "Moon", "Pearl", "Pride", "Prince", "Queen",
    "Ribbon", "River", "Star", "Sun", "Treasure", "Wonder",
)  # fmt: skip

HEAD = '''"""Every variety the shop sells. Exported from the shop's database; not edited by hand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Variety:
    sku: str
    name: str
    latin: str
    unit_cents: int
    """price of one packet"""
    seeds: int
    """in a packet"""
    sow: tuple[int, int]
    """first and last month to sow"""


CATALOGUE: tuple[Variety, ...] = (
'''

TAIL = """)

_BY_SKU = {variety.sku: variety for variety in CATALOGUE}


def find(sku: str) -> Variety:
    \"\"\"The variety with this number; KeyError when there is none.\"\"\"
    return _BY_SKU[sku]


def in_season(month: int) -> list[Variety]:
    \"\"\"What can be sown in a month, 1 to 12.\"\"\"
    return [variety for variety in CATALOGUE if variety.sow[0] <= month <= variety.sow[1]]
"""


def text() -> str:
    """The whole module."""
    return HEAD + "".join(_lines()) + TAIL


def _lines() -> Iterator[str]:
    dice = random.Random(1759)  # noqa: S311 - the same catalogue every time
    names: set[str] = set()
    for number in range(1, VARIETIES + 1):
        plant, latin, price, (first, last) = dice.choice(PLANTS)
        name = f"{plant} {dice.choice(FIRST)} {dice.choice(SECOND)}"
        while name in names:
            name = f"{plant} {dice.choice(FIRST)} {dice.choice(SECOND)}"
        names.add(name)
        cents = price + 10 * dice.randrange(-3, 9)
        seeds = dice.choice((8, 10, 15, 20, 25, 40, 50, 80, 100, 150, 200, 300))
        yield f'    Variety("SD-{number:05d}", "{name}", "{latin}", {cents}, {seeds}, ({first}, {last})),\n'
