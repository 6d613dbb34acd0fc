"""Small files as frameworks have them, three of a kind in each language: endpoints, tests, a component, error handling."""


def zod(name: str) -> str:
    return f"""import {{ Router }} from "express";
import {{ z }} from "zod";
import {{ Result, ok, err }} from "../result";
const {name}Schema = z.object({{ id: z.string() }});
export const router = Router();
router.post("/api/{name}s", async (req, res) => {{
  const parsed = {name}Schema.safeParse(req.body);
  if (!parsed.success) return res.status(400).json({{ error: "bad" }});
  const result: Result<string, Error> = await create(parsed.data);
  res.json({{ data: result }});
}});
router.get("/api/{name}s/:id", async (req, res) => {{
  const parsed = {name}Schema.safeParse(req.params);
  const result: Result<string, Error> = await find(parsed.data);
  res.json({{ data: result }});
}});
"""


def fastapi(name: str) -> str:
    return f"""from fastapi import APIRouter, HTTPException
from pydantic import BaseModel

router = APIRouter()

class {name.title()}In(BaseModel):
    name: str

@router.post("/v1/{name}s")
async def create_{name}(body: {name.title()}In, session: Session):
    try:
        made = await session.execute(insert(body))
    except IntegrityError as error:
        logger.exception("no")
        raise HTTPException(409) from error
    return {{"id": made.id}}
"""


def gin(name: str) -> str:
    return f"""package api

import "net/http"

func (s *Server) Create{name.title()}(w http.ResponseWriter, r *http.Request) {{
	body, err := decode(r)
	if err != nil {{
		http.Error(w, "bad", 400)
		return
	}}
	row, err := s.db.Query("insert", body)
	if err != nil {{
		http.Error(w, "no", 500)
		return
	}}
	json.NewEncoder(w).Encode(row)
}}
"""


def spring(name: str) -> str:
    return f"""package shop;
import jakarta.validation.Valid;
@RestController
class {name.title()}Controller {{
  @PostMapping("/api/{name}s")
  public ResponseEntity<String> create(@Valid @RequestBody Order body) {{
    Order made = repository.save(body);
    return ResponseEntity.ok(made.name());
  }}
}}
"""


def actix(name: str) -> str:
    return f"""use actix_web::{{post, web, HttpResponse}};
#[post("/api/{name}s")]
async fn create_{name}(body: web::Json<NewRow>, db: Db) -> Result<HttpResponse, Error> {{
    let row = db.insert(&body).await?;
    Ok(HttpResponse::Created().json(row))
}}
"""


def aspnet(name: str) -> str:
    return f"""using Microsoft.AspNetCore.Mvc;
public class {name.title()}Controller : ControllerBase {{
  [HttpPost("/api/{name}s")]
  public async Task<IActionResult> Create([FromBody] Row row) {{
    try {{
      await db.SaveChangesAsync();
      return Ok(row);
    }} catch (DbException e) {{
      logger.LogError(e, "no");
      return Problem();
    }}
  }}
}}
"""


HELPER = """import pytest

@pytest.fixture
def shop(tmp_path):
    return Shop(tmp_path)

class ShopCase:
    def pay_with(self, card): ...

def make_order(name): ...
"""


def pytest_file(name: str) -> str:
    return f"""import pytest
from tests.helper import ShopCase, make_order
from shop.{name} import total

class Test{name.title()}(ShopCase):
    def test_{name}_is_paid(self, shop):
        made = make_order("{name}")
        self.pay_with("visa")
        assert total(made) == len(name)
"""


def plain_test(name: str) -> str:
    return f"""def test_{name}():
    made = build("{name}")
    assert made.total == 3
"""
